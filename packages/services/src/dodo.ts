import { checkOptions, secretOption } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { composeActivationName } from './activation-name.ts'
import { createVendorApi, instanceFields } from './dodo/vendor-api.ts'
import { findLicenseKey } from './license-key.ts'
import {
  type ActivatedLicense,
  type ActivationRequest,
  answer,
  type LicenseFacts,
  type LicenseService,
  nothingTold,
  type Outcome,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
  unknownStatus,
} from './license-service.ts'
import { createSend, type Reply, undocumented } from './request.ts'
import { oneOrMore, onOrOff, type ServiceOptions, serviceOptions } from './service-options.ts'
import { customerField, namedActivation } from './wire.ts'

/** Options for {@link dodo}. */
export interface DodoOptions extends ServiceOptions {
  /**
   * The product ID, `pdt_…`, or several: in the dashboard under Products. License keys of other products are refused.
   * Dodo Payments itself accepts a license key of any vendor, so this check is necessary.
   */
  productId: string | readonly string[]
  /** Uses Dodo Payments' test mode. @default false */
  testMode?: boolean | undefined
  /**
   * The API key: in the dashboard under Developer, API keys. Needed for `listActivations` and for the seats and end in
   * `showLicense`. It is secret: use it only in a gateway or support tool, never in an app.
   */
  apiKey?: string | undefined
}

const productRule = "must be your product's ID, such as pdt_0NVz1J3QmL2, or a list of them"

const optionsSchema = z.strictObject({
  productId: oneOrMore(z.string(productRule).check(z.regex(/^\w{4,80}$/u, productRule)), productRule),
  testMode: onOrOff,
  apiKey: z.optional(secretOption),
  ...serviceOptions,
})

// https://docs.dodopayments.com/api-reference/licenses/activate-license
// Only fields that Latchkey needs are required.
const activationSchema = z.object({
  ...instanceFields,
  product: z.object({ product_id: z.string() }),
  customer: customerField,
})
const validationSchema = z.object({ valid: z.boolean() })
/** The body of every refusal. */
const errorSchema = z.object({ code: z.string().check(z.regex(/^[A-Z_]+$/u)) })

/** https://docs.dodopayments.com/api-reference/error-codes */
const reasons: Readonly<Record<string, RefusalReason>> = {
  LICENSE_KEY_NOT_FOUND: 'unknown-license',
  LICENSE_KEY_LIMIT_REACHED: 'no-seat-left',
  // Means expired or disabled; the service doesn't distinguish them.
  INACTIVE_LICENSE_KEY: 'inactive',
}

/** The response to *validate*. */
interface Told {
  readonly kind: 'told'
  readonly isValid: boolean
  readonly reply: Reply
}

/**
 * Creates the adapter for license keys sold through Dodo Payments.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = dodo({ productId: 'pdt_0NVz1J3QmL2' })
 * ```
 */
export function dodo(options: DodoOptions): LicenseService {
  const settings = checkOptions('dodo', optionsSchema, options)
  const { apiKey, testMode: isTest, customerPortal, productId: productIds } = settings
  const baseUrl = settings.baseUrl ?? `https://${isTest ? 'test' : 'live'}.dodopayments.com`
  const send = createSend()
  const vendor = apiKey === undefined ? null : createVendorApi({ baseUrl, apiKey, productIds, isTest })

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    json: Record<string, string>,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> =>
    send({ method: 'POST', url: `${baseUrl}/licenses/${verb}`, json, acts: verb !== 'validate' }, call)

  /** *Validate* only returns true or false, without a reason. */
  async function isValid(
    fields: Record<string, string>,
    call: ServiceCall | undefined,
  ): Promise<Told | Refusal | Unavailable> {
    const reply = await post('validate', fields, call)
    if (reply.kind !== 'reply') return reply
    const parsed = validationSchema.safeParse(reply.body)
    if (reply.status !== 200 || !parsed.success) return readRefusal(reply)
    return { kind: 'told', isValid: parsed.data.valid, reply }
  }

  async function validate(
    request: ActivationRequest,
    call?: ServiceCall,
  ): Promise<Outcome<ActivatedLicense>> {
    const { licenseKey, activationId, fingerprint } = request
    const fields = { license_key: licenseKey, license_key_instance_id: activationId }
    if (vendor !== null) {
      const seen = await vendor.validateInstance(request, call)
      if (seen.kind !== 'answer' || seen.value.license.status !== null) return seen
      // The status is new to this adapter, so the service itself says whether the license is valid.
      const asked = await isValid(fields, call)
      if (asked.kind !== 'told') return asked
      return asked.isValid ? seen : refusal('inactive', asked.reply, seen.value.license)
    }
    const asked = await isValid(fields, call)
    if (asked.kind !== 'told') return asked
    if (asked.isValid) {
      const license: LicenseFacts = { ...nothingTold, isTest }
      const activation = { id: activationId, deviceName: null, fingerprint, createdAtMs: null }
      return answer({ license, activation }, asked.reply.serverDateMs)
    }
    const seen = await isValid({ license_key: licenseKey }, call)
    if (seen.kind !== 'told') return seen
    if (seen.isValid) return refusal('unknown-activation', asked.reply)
    // Expired, disabled, and unknown keys get the same response. This key was known before.
    return { ...refusal('inactive', asked.reply), mayBeUnknown: true }
  }

  async function activate(
    licenseKey: string,
    name: string,
    fingerprint: string,
    call: ServiceCall | undefined,
  ): Promise<Outcome<ActivatedLicense>> {
    // If this can't reach the service, no seat was taken. Its answer doesn't matter: *activate* says why it refuses.
    if (vendor === null) {
      const reply = await post('validate', { license_key: licenseKey }, call)
      if (reply.kind !== 'reply') return reply
    }
    const reply = await post('activate', { license_key: licenseKey, name }, call)
    if (reply.kind !== 'reply') return reply
    const parsed = activationSchema.safeParse(reply.body)
    if (reply.status >= 300 || !parsed.success) return readRefusal(reply)
    const { data } = parsed
    const { license_key_id: licenseId, product } = data
    const shown = (await vendor?.showLicenseById(licenseId, call)) ?? null
    const isNewStatus = shown?.isNewStatus === true
    if (productIds.includes(product.product_id) && !isNewStatus) {
      const license: LicenseFacts = {
        ...(shown?.facts ?? nothingTold),
        id: licenseId ?? null,
        product: product.product_id,
        plan: product.product_id,
        licensee: data.customer?.name ?? null,
        isTest,
      }
      return answer(
        { license, activation: namedActivation(data.id, name, data.created_at) },
        reply.serverDateMs,
      )
    }
    // Only now is it known that it is another product, or that its status is new, so release the seat.
    const freed = await deactivate({ licenseKey, activationId: data.id, fingerprint }, call)
    const isFree = freed.kind === 'answer'
    if (isNewStatus) return { ...unknownStatus(reply), mayHaveActed: !isFree }
    return { ...refusal('wrong-product', reply), leftoverActivationId: isFree ? null : data.id }
  }

  async function deactivate(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<null>> {
    const { licenseKey, activationId } = request
    const fields = { license_key: licenseKey, license_key_instance_id: activationId }
    const reply = await post('deactivate', fields, call)
    if (reply.kind !== 'reply') return reply
    const isDone = reply.status < 300
    const refused = readRefusal(reply)
    if (!isDone && (reply.status !== 403 || refused.kind === 'refusal')) return refused
    // A success has no body, which a network's sign-in page could fake, and a 403 without a known code means that the
    // activation belongs to another license. Only *validate* proves that it is gone, and only while the license is
    // valid, because an expired or disabled license makes every activation invalid.
    const seen = await validate(request, call)
    if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
    if (seen.kind === 'answer' || seen.reason !== 'unknown-activation') return undocumented(reply)
    return isDone ? answer(null, reply.serverDateMs) : refusal('unknown-activation', reply)
  }

  return {
    name: 'dodo',
    baseUrl,
    capabilities: {
      listsActivations: vendor !== null,
      idempotentByFingerprint: false,
      tellsTheEnd: false,
      signsItsAnswers: false,
    },
    links: { customerPortal },
    vendorSecrets: vendor === null ? [] : ['apiKey'],
    // Vendors can import keys in any form.
    findLicenseKey: (text) => findLicenseKey(text, 'any'),

    async activate({ licenseKey, deviceName, fingerprint }, call) {
      const name = composeActivationName(deviceName, fingerprint)
      const outcome = await activate(licenseKey, name, fingerprint, call)
      vendor?.noteActivation(licenseKey, outcome)
      return outcome
    },

    validate,
    deactivate,

    async showLicense({ licenseKey }, call) {
      if (vendor !== null) return vendor.showLicense(licenseKey, call)
      const seen = await isValid({ license_key: licenseKey }, call)
      if (seen.kind !== 'told') return seen
      const license: LicenseFacts = { ...nothingTold, isTest }
      return seen.isValid ? answer(license, seen.reply.serverDateMs) : refusal('inactive', seen.reply)
    },

    ...(vendor !== null && { listActivations: vendor.listActivations }),
  }
}

function readRefusal(reply: Reply): Refusal | Unavailable {
  const parsed = errorSchema.safeParse(reply.body)
  const reason = parsed.success ? reasons[parsed.data.code] : undefined
  return reason === undefined || reply.status < 400
    ? undocumented(reply, parsed.success)
    : refusal(reason, reply)
}
