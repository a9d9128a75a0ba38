import { checkOptions, secretOption } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { parseActivationName } from './activation-name.ts'
import { findLicenseKey } from './license-key.ts'
import {
  type Activation,
  type ActivationRequest,
  answer,
  type LicenseFacts,
  type LicenseService,
  nothingTold,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
} from './license-service.ts'
import { createSend, type Reply, read, undocumented, unknownStatus } from './request.ts'
import { onOrOff, type ServiceOptions, serviceOptions } from './service-options.ts'
import { count, customerField, endOf, lenient, limitOf, text, timestampMs } from './wire.ts'

/** Options for {@link polar}. */
export interface PolarOptions extends ServiceOptions {
  /** The organization's "Identifier", a UUID: in the dashboard under Settings, General. */
  organizationId: string
  /**
   * The ID of the license key benefit, a UUID: in the dashboard under Products, Benefits, "Copy ID". If it is set, the
   * license keys of your other products are refused before they use a seat. If not, all of them are accepted.
   */
  benefitId?: string | undefined
  /** Uses the Polar sandbox. @default false */
  sandbox?: boolean | undefined
  /**
   * An organization access token with the scopes `license_keys:read` and `license_keys:write`. Needed for
   * `listActivations`, and uses Polar's server API. It is secret: use it only in a gateway or support tool, never in an
   * app.
   */
  accessToken?: string | undefined
  /** URL of the page where customers manage their devices: `https://polar.sh/<your organization's slug>/portal`. */
  customerPortal?: string | undefined
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu
const uuidThat = (rule: string) => z.string(rule).check(z.regex(uuid, rule))

const optionsSchema = z.strictObject({
  organizationId: uuidThat('must be the UUID in Settings, General'),
  benefitId: z.optional(uuidThat('must be the UUID of the license key benefit')),
  sandbox: onOrOff,
  accessToken: z.optional(secretOption),
  ...serviceOptions,
})

// https://polar.sh/docs/api-reference/customer-portal/license-keys/validate
// Only fields that Latchkey needs are required.
const licenseKeyFields = {
  id: z.string(),
  key: z.string(),
  benefit_id: z.string(),
  status: text,
  limit_activations: count,
  expires_at: text,
  customer: customerField,
}
/** The API never returns the `conditions` of an activation. */
const activationFields = {
  id: z.string(),
  label: text,
  meta: lenient(z.object({ device: z.optional(z.string()) })),
  created_at: text,
}
const licenseKeySchema = z.object(licenseKeyFields)
const activationSchema = z.object(activationFields)
const activateAnswerSchema = z.object({ ...activationFields, license_key: licenseKeySchema })
const validateAnswerSchema = z.object({ ...licenseKeyFields, activation: z.nullish(activationSchema) })
const errorSchema = z.object({ error: z.string(), detail: text })
/** `GET /v1/license-keys/{id}`. */
const activationsSchema = z.object({ id: z.string(), activations: z.array(z.unknown()) })

/**
 * Creates the adapter for license keys sold through Polar.
 *
 * Apps use Polar's customer portal API, which allows three requests per second from one address and then blocks it for a
 * minute. So each call sends at most two requests, one after the other; only deactivating a device of an ended license
 * takes three. Servers use the organization's token and Polar's server API, where the limit applies to the organization.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' })
 * ```
 */
export function polar(options: PolarOptions): LicenseService {
  const settings = checkOptions('polar', optionsSchema, options)
  const { organizationId, benefitId, accessToken, sandbox, customerPortal } = settings
  const baseUrl = settings.baseUrl ?? `https://${sandbox ? 'sandbox-' : ''}api.polar.sh`
  const send = createSend(accessToken === undefined ? undefined : `Bearer ${accessToken}`)
  const routes = `${baseUrl}/v1/${accessToken === undefined ? 'customer-portal/' : ''}license-keys`
  // A license that was seen within the last second isn't asked for again, to stay below three requests a second.
  let seenKey = ''
  let seenAtMs = 0

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    fields: Record<string, unknown>,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> => {
    const json = { ...fields, organization_id: organizationId }
    return send({ method: 'POST', url: `${routes}/${verb}`, json, acts: verb !== 'validate' }, call)
  }

  const factsOf = (key: z.infer<typeof licenseKeySchema>): LicenseFacts => ({
    ...nothingTold,
    id: key.id,
    product: key.benefit_id,
    // Responses don't contain the benefit's name.
    plan: key.benefit_id,
    licensee: key.customer?.name ?? null,
    // Polar refuses a license key that isn't granted or has expired, so this one is active.
    status: 'active',
    endsAtMs: endOf(key.expires_at),
    seatLimit: limitOf(key.limit_activations),
    isTest: sandbox,
  })

  /** Validates the license without an activation, which uses no seat. */
  const showLicense: NonNullable<LicenseService['showLicense']> = async ({ licenseKey }, call) => {
    const fields = { key: licenseKey, benefit_id: benefitId }
    const seen = read(await post('validate', fields, call), validateAnswerSchema, readRefusal)
    if (seen.kind !== 'read') return seen
    const { body, reply } = seen
    if (body.key !== licenseKey) return undocumented(reply)
    if ((body.status ?? 'granted') !== 'granted') return unknownStatus(reply)
    seenKey = licenseKey
    seenAtMs = performance.now()
    return answer(factsOf(body), reply.serverDateMs)
  }

  /**
   * Reads a refusal of a request about an activation. "Not found" may mean the license or the activation, and validating
   * only the license shows which one it is.
   */
  async function whyRefused(
    request: ActivationRequest,
    reply: Reply,
    call: ServiceCall | undefined,
  ): Promise<Refusal | Unavailable> {
    const refused = readRefusal(reply, request.activationId)
    if (refused.kind === 'unavailable' || refused.reason !== 'unknown-license') return refused
    const seen = await showLicense(request, call)
    // An expired or revoked license still exists.
    const isAboutLicense = seen.kind === 'refusal' && seen.reason === 'unknown-license'
    if (seen.kind === 'unavailable' || isAboutLicense) return seen
    return refusal('unknown-activation', reply, seen.kind === 'answer' ? seen.value : null)
  }

  const validationOf = (request: ActivationRequest): Record<string, unknown> => ({
    key: request.licenseKey,
    activation_id: request.activationId,
    benefit_id: benefitId,
    conditions: { device: request.fingerprint },
  })

  const validate: LicenseService['validate'] = async (request, call) => {
    const reply = await post('validate', validationOf(request), call)
    if (reply.kind !== 'reply') return reply
    const seen = read(reply, validateAnswerSchema)
    if (seen.kind !== 'read') return whyRefused(request, reply, call)
    const { activation, ...license } = seen.body
    const isAboutUs = activation?.id === request.activationId && license.key === request.licenseKey
    return isAboutUs
      ? answer({ license: factsOf(license), activation: activationOf(activation) }, reply.serverDateMs)
      : undocumented(reply)
  }

  const listActivations: NonNullable<LicenseService['listActivations']> = async (request, call) => {
    const seen = await showLicense(request, call)
    if (seen.kind !== 'answer') return seen
    const url = `${routes}/${encodeURIComponent(seen.value.id ?? '')}`
    const listed = read(await send({ method: 'GET', url }, call), activationsSchema)
    if (listed.kind !== 'read') return listed
    const { body, reply } = listed
    if (body.id !== seen.value.id) return undocumented(reply)
    const items = body.activations.map((item) => activationSchema.safeParse(item))
    const activations = items.flatMap((item) => (item.success ? [activationOf(item.data)] : []))
    return answer({ activations, isWhole: activations.length === items.length }, reply.serverDateMs)
  }

  return {
    name: 'polar',
    baseUrl,
    capabilities: {
      listsActivations: accessToken !== undefined,
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: false,
      // With a token. Without one, it is three a second.
      requestsPerMinute: accessToken === undefined ? 180 : 500,
    },
    links: { customerPortal },
    vendorSecrets: accessToken === undefined ? [] : ['accessToken'],
    findLicenseKey: (text) => findLicenseKey(text, 'prefixed-uuid'),

    async activate({ licenseKey, deviceName, fingerprint }, call) {
      // *activate* takes a seat whatever the benefit, and perhaps under a status that is new, so check them first.
      if (seenKey !== licenseKey || performance.now() - seenAtMs > 999) {
        const before = await showLicense({ licenseKey }, call)
        if (before.kind !== 'answer') return before
      }
      const fields = {
        key: licenseKey,
        // The fingerprint distinguishes devices with the same name in the customer portal.
        label: `${deviceName} [${fingerprint}]`,
        // Conditions bind the activation to the device but aren't returned. The list returns meta.
        conditions: { device: fingerprint },
        meta: { device: fingerprint },
      }
      const activated = read(await post('activate', fields, call), activateAnswerSchema, readRefusal)
      if (activated.kind !== 'read') return activated
      const { body, reply } = activated
      if (body.license_key.key !== licenseKey) return undocumented(reply)
      const license = factsOf(body.license_key)
      return answer({ license, activation: activationOf(body) }, reply.serverDateMs)
    },

    validate,

    async deactivate(request, call) {
      const fields = { key: request.licenseKey, activation_id: request.activationId }
      const reply = await post('deactivate', fields, call)
      if (reply.kind !== 'reply') return reply
      if (reply.status !== 204) return whyRefused(request, reply, call)
      // A response without content proves nothing, because a network's sign-in page could have sent it. Polar refuses every
      // activation of an ended license, so deactivate again: only a missing one is "Not found". An activation that Polar
      // refuses for its device still exists.
      const ask = async (verb: 'validate' | 'deactivate', about: Record<string, unknown>) => {
        const asked = await post(verb, about, call)
        return asked.kind === 'reply' ? readRefusal(asked) : asked
      }
      let seen = await ask('validate', validationOf(request))
      if (seen.kind === 'refusal' && seen.reason !== 'unknown-license' && !seen.isOtherDevices) {
        seen = await ask('deactivate', fields)
      }
      if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
      return seen.reason === 'unknown-license' ? answer(null, reply.serverDateMs) : undocumented(reply)
    },

    showLicense,
    ...(accessToken !== undefined && { listActivations }),
  }
}

function activationOf({ id, label, meta, created_at }: z.infer<typeof activationSchema>): Activation {
  const name = parseActivationName(label ?? '')
  return {
    id,
    deviceName: label == null ? null : name.deviceName,
    fingerprint: meta?.device ?? name.fingerprint,
    createdAtMs: timestampMs(created_at),
  }
}

// The reason is only in `detail`. The texts are from the server's source:
// https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/license_key/service.py
const reasons: readonly (readonly [start: string, reason: RefusalReason])[] = [
  ['License key has expired', 'expired'],
  ['License key is no longer active', 'suspended'],
  ['License key activation limit', 'no-seat-left'],
  ['License key does not match given benefit', 'wrong-product'],
]

/**
 * Converts a 4xx. Every refusal has one of two error names, so a proxy's error page isn't read as a refusal.
 *
 * @param activationId the activation that was asked about. One that can't be Polar's is unknown.
 * @returns `unknown-license` if the license key or the activation is unknown. The response doesn't say which.
 */
function readRefusal(reply: Reply, activationId?: string): Refusal | Unavailable {
  // Only a refusal's body has an error.
  const { data } = errorSchema.safeParse(reply.status < 400 ? null : reply.body)
  const { error, detail } = data ?? {}
  if (error === 'RequestValidationError') {
    // Polar's IDs are UUIDs of version 4. It doesn't look for any other, such as one of a service that was used before.
    const isForeign = activationId !== undefined && !(uuid.test(activationId) && activationId[14] === '4')
    // Polar rejected the request as invalid, so nothing changed.
    return isForeign ? refusal('unknown-license', reply) : { ...undocumented(reply), mayHaveActed: false }
  }
  if ((error !== 'ResourceNotFound' && error !== 'NotPermitted') || detail == null) {
    return undocumented(reply, false)
  }
  // The activation was found, and it belongs to another device.
  if (detail.startsWith('License key does not match required conditions')) {
    return { ...refusal('unknown-activation', reply), isOtherDevices: true }
  }
  if (detail.startsWith('This license key does not support activations')) {
    return {
      ...undocumented(reply),
      mayHaveActed: false,
      cause: 'misconfigured',
      detail: 'the license key benefit needs an activation limit',
    }
  }
  const isUnknown = reply.status === 404 && detail === 'Not found'
  const reason = isUnknown ? 'unknown-license' : reasons.find(([start]) => detail.startsWith(start))?.[1]
  return reason === undefined ? undocumented(reply) : refusal(reason, reply)
}
