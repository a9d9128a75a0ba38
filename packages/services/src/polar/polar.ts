import type { ZodMiniType } from 'zod/mini'
import type { ActivatedLicense, Activation, ActivationList, LicenseFacts } from '../contract/license-facts.ts'
import type { ActivationRequest, LicenseRequest, LicenseService } from '../contract/license-service.ts'
import type { Outcome, Refusal, Unavailable } from '../contract/outcome.ts'
import { answer, nothingTold, refusal, unknownStatus } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { type Reply, send, undocumented } from '../http/send.ts'
import { parseActivationName } from '../text/activation-name.ts'
import { findLicenseKey } from '../text/find-license-key.ts'
import { endOf, limitOf, timestampMs } from '../text/timestamps.ts'
import { prefixedUuidForms } from '../text/uuid-forms.ts'
import type { PolarSettings } from './options.ts'
import { readRefusal } from './read-refusal.ts'
import {
  activateAnswerSchema,
  activationSchema,
  activationsSchema,
  type PolarActivation,
  type PolarLicenseKey,
  validateAnswerSchema,
} from './wire.ts'

/**
 * Creates the Polar adapter. Apps use Polar's customer portal API, which allows three requests per second from one
 * address and then blocks it for a minute. So each call sends at most two requests, one after the other; only
 * deactivating a device of an ended license takes three. Servers use the organization's token and Polar's server API,
 * where the limit applies to the organization.
 */
export function createPolar(settings: PolarSettings): LicenseService {
  const { organizationId, benefitId, accessToken, baseUrl, customerPortal } = settings
  const headers = accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }
  // A license that was seen within the last second isn't asked for again, to stay below three requests a second.
  let seenKey = ''
  let seenAtMs = 0

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    fields: Record<string, unknown>,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> =>
    send(
      {
        method: 'POST',
        url: `${baseUrl}/v1/${accessToken === undefined ? 'customer-portal/' : ''}license-keys/${verb}`,
        headers,
        json: { ...fields, organization_id: organizationId },
        acts: verb !== 'validate',
      },
      call,
    )

  const factsOf = (key: PolarLicenseKey): LicenseFacts => ({
    ...nothingTold,
    id: key.id,
    product: key.benefit_id,
    // Responses don't contain the benefit's name.
    plan: key.benefit_id,
    // Polar refuses a license key that isn't granted or has expired, so this one is active.
    status: 'active',
    endsAtMs: endOf(key.expires_at),
    seatLimit: limitOf(key.limit_activations),
    isTest: settings.isTest,
  })

  /** Validates the license without an activation, which uses no seat. */
  async function showLicense(
    { licenseKey }: LicenseRequest,
    call?: ServiceCall,
  ): Promise<Outcome<LicenseFacts>> {
    const reply = await post('validate', { key: licenseKey, benefit_id: benefitId }, call)
    if (reply.kind !== 'reply') return reply
    const seen = readBody(reply, validateAnswerSchema)
    if (seen?.key === licenseKey) {
      if ((seen.status ?? 'granted') !== 'granted') return unknownStatus(reply)
      seenKey = licenseKey
      seenAtMs = performance.now()
      return answer(factsOf(seen), reply.serverDateMs)
    }
    return readRefusal(reply) ?? refusal('unknown-license', reply)
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
    if (refused !== null) return refused
    const seen = await showLicense(request, call)
    if (seen.kind === 'unavailable') return seen
    // An expired or revoked license still exists.
    if (seen.kind === 'refusal' && seen.reason === 'unknown-license') return seen
    return refusal('unknown-activation', reply, seen.kind === 'answer' ? seen.value : null)
  }

  const validationOf = (request: ActivationRequest): Record<string, unknown> => ({
    key: request.licenseKey,
    activation_id: request.activationId,
    benefit_id: benefitId,
    conditions: { device: request.fingerprint },
  })

  async function validate(
    request: ActivationRequest,
    call?: ServiceCall,
  ): Promise<Outcome<ActivatedLicense>> {
    const reply = await post('validate', validationOf(request), call)
    if (reply.kind !== 'reply') return reply
    const seen = readBody(reply, validateAnswerSchema)
    if (seen !== null) {
      const { activation } = seen
      if (activation?.id !== request.activationId || seen.key !== request.licenseKey) {
        return undocumented(reply)
      }
      return answer({ license: factsOf(seen), activation: activationOf(activation) }, reply.serverDateMs)
    }
    return whyRefused(request, reply, call)
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
    findLicenseKey: (text) => findLicenseKey(text, prefixedUuidForms()),

    async activate({ licenseKey, deviceName, fingerprint }, call) {
      // *activate* takes a seat whatever the benefit, and perhaps under a status that is new, so check them first.
      if (seenKey !== licenseKey || performance.now() - seenAtMs > 999) {
        const before = await showLicense({ licenseKey }, call)
        if (before.kind !== 'answer') return before
      }
      const reply = await post(
        'activate',
        {
          key: licenseKey,
          // The fingerprint distinguishes devices with the same name in the customer portal.
          label: `${deviceName} [${fingerprint}]`,
          // Conditions bind the activation to the device but aren't returned. The list returns meta.
          conditions: { device: fingerprint },
          meta: { device: fingerprint },
        },
        call,
      )
      if (reply.kind !== 'reply') return reply
      const activated = readBody(reply, activateAnswerSchema)
      if (activated?.license_key.key === licenseKey) {
        const license = factsOf(activated.license_key)
        return answer({ license, activation: activationOf(activated) }, reply.serverDateMs)
      }
      return readRefusal(reply) ?? refusal('unknown-license', reply)
    },

    validate,

    async deactivate(request, call) {
      const fields = { key: request.licenseKey, activation_id: request.activationId }
      const reply = await post('deactivate', fields, call)
      if (reply.kind !== 'reply') return reply
      if (reply.status !== 204) return whyRefused(request, reply, call)
      // A response without content proves nothing, because a network's sign-in page could have sent it.
      let seen = readRefusal(await post('validate', validationOf(request), call))
      // Polar refuses every activation of an ended license, so deactivate again: only a missing one is "Not found". An
      // activation that Polar refuses for its device still exists.
      if (seen?.kind === 'refusal' && !seen.isOtherDevices) {
        seen = readRefusal(await post('deactivate', fields, call))
      }
      if (seen === null) return answer(null, reply.serverDateMs)
      return seen.kind === 'unavailable' ? { ...seen, mayHaveActed: true } : undocumented(reply)
    },

    showLicense,

    ...(accessToken !== undefined && {
      async listActivations(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<ActivationList>> {
        const seen = await showLicense(request, call)
        if (seen.kind !== 'answer') return seen
        const reply = await send(
          {
            method: 'GET',
            url: `${baseUrl}/v1/license-keys/${encodeURIComponent(seen.value.id ?? '')}`,
            headers,
          },
          call,
        )
        if (reply.kind !== 'reply') return reply
        const listed = readBody(reply, activationsSchema)
        if (listed?.id !== seen.value.id) return undocumented(reply)
        const items = listed.activations.map((item) => activationSchema.safeParse(item))
        const activations = items.flatMap((item) => (item.success ? [activationOf(item.data)] : []))
        return answer({ activations, isWhole: activations.length === items.length }, reply.serverDateMs)
      },
    }),
  }
}

/** Returns the body of a success; `null` for anything else. */
function readBody<Body>({ status, body }: Reply, schema: ZodMiniType<Body>): Body | null {
  return (status === 200 && schema.safeParse(body).data) || null
}

function activationOf({ id, label, meta, created_at }: PolarActivation): Activation {
  const name = parseActivationName(label ?? '')
  return {
    id,
    deviceName: label == null ? null : name.deviceName,
    fingerprint: meta?.device ?? name.fingerprint,
    createdAtMs: timestampMs(created_at),
  }
}
