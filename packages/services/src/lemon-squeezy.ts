import { checkOptions, secretOption } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { composeActivationName } from './activation-name.ts'
import { findLicenseKey } from './license-key.ts'
import {
  answer,
  type LicenseFacts,
  type LicenseRequest,
  type LicenseService,
  type LicenseStatus,
  nothingTold,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
} from './license-service.ts'
import { createSend, type Reply, read, undocumented, unknownStatus } from './request.ts'
import { oneOrMore, onOrOff, type ServiceOptions, serviceOptions } from './service-options.ts'
import {
  type ActivationPage,
  count,
  endOf,
  lenient,
  limitOf,
  namedActivation,
  readActivations,
  text,
} from './wire.ts'

/** Options for {@link lemonSqueezy}. */
export interface LemonSqueezyOptions extends ServiceOptions {
  /** The store ID: in the dashboard under Settings, Stores, the number after the `#`. */
  storeId: number | string
  /**
   * The product ID, or several: in the dashboard under Products, "Copy ID" in the product's menu. License keys of other
   * products are refused. Lemon Squeezy itself accepts a license key of any store, so this check is necessary.
   */
  productId: number | string | readonly (number | string)[]
  /**
   * The API key: in the dashboard under Settings, API. Needed for `listActivations`. It is secret: use it only in a
   * gateway or support tool, never in an app.
   */
  apiKey?: string | undefined
  /**
   * Whether a packaged app or a gateway accepts license keys of test mode. Set it only while you try your app out.
   * @default false
   */
  testMode?: boolean | undefined
  /**
   * URL of the page where customers manage their devices.
   * @default 'https://app.lemonsqueezy.com/my-orders'
   */
  customerPortal?: string | undefined
}

const storeRule = 'must be the number of your store (Settings, Stores)'
const productRule = 'must be the number of your product (Products, Copy ID), or a list of them'
const numberThat = (rule: string) =>
  z.pipe(
    z.pipe(z.union([z.string(), z.number()], rule), z.transform(String)),
    z.string().check(z.regex(/^\d{1,15}$/u, rule)),
  )

const optionsSchema = z.strictObject({
  storeId: numberThat(storeRule),
  productId: oneOrMore(numberThat(productRule), productRule),
  apiKey: z.optional(secretOption),
  testMode: onOrOff,
  ...serviceOptions,
})

type Settings = z.output<typeof optionsSchema>

// https://docs.lemonsqueezy.com/api/license-api/validate-license-key
// All responses have the same shape, including refusals. Only fields that Latchkey needs are required.

const flag = lenient(z.boolean())
/** Converts IDs, which are numbers on the wire, to strings. */
const id = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

const licenseKeySchema = z.object({
  id,
  key: text,
  status: text,
  activation_limit: count,
  activation_usage: count,
  expires_at: text,
  test_mode: flag,
})
/** Where the license was bought. */
const metaSchema = z.object({ store_id: id, product_id: id, variant_name: text, customer_name: text })

/** A response of the License API. */
const licenseAnswerSchema = z.object({
  activated: flag,
  // An answer with another type could mean either.
  valid: z.optional(z.boolean()),
  deactivated: flag,
  error: text,
  license_key: lenient(licenseKeySchema),
  instance: lenient(z.object({ id: z.string(), name: text, created_at: text })),
  meta: lenient(metaSchema),
})

type LicenseAnswer = z.output<typeof licenseAnswerSchema>

// https://docs.lemonsqueezy.com/api/license-key-instances/list-all-license-key-instances
const instancePageSchema = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ page: z.object({ currentPage: z.number(), lastPage: z.number() }) }),
})
/** `identifier` is called `instance_id` in the License API. */
const listedInstanceSchema = z.object({
  attributes: z.object({ identifier: z.string(), license_key_id: lenient(id), name: text, created_at: text }),
})

/**
 * Creates the adapter for license keys sold through Lemon Squeezy.
 *
 * @throws {TypeError} if an option is invalid. The message names the option.
 *
 * @example
 * ```ts
 * const service = lemonSqueezy({ storeId: 12345, productId: 67890 })
 * ```
 */
export function lemonSqueezy(options: LemonSqueezyOptions): LicenseService {
  const settings = checkOptions('lemonSqueezy', optionsSchema, options)
  const { apiKey, testMode } = settings
  const baseUrl = settings.baseUrl ?? 'https://api.lemonsqueezy.com'
  const customerPortal = settings.customerPortal ?? 'https://app.lemonsqueezy.com/my-orders'
  const sendLicense = createSend()
  const sendVendor = createSend(`Bearer ${apiKey}`)

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    form: Record<string, string>,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> =>
    sendLicense(
      { method: 'POST', url: `${baseUrl}/v1/licenses/${verb}`, form, acts: verb !== 'validate' },
      call,
    )

  /** Validates the license without an instance, which has no side effects. */
  async function look({ licenseKey }: LicenseRequest, call?: ServiceCall): Promise<LicenseReading> {
    const reply = await post('validate', { license_key: licenseKey }, call)
    return reply.kind === 'reply' ? readLicense(reply, licenseKey, settings) : reply
  }

  const showLicense: NonNullable<LicenseService['showLicense']> = async (request, call) => {
    const reading = await look(request, call)
    return reading.kind === 'license' ? answer(reading.license, reading.serverDateMs) : reading
  }

  const validate: LicenseService['validate'] = async (request, call) => {
    const { licenseKey, activationId } = request
    const reply = await post('validate', { license_key: licenseKey, instance_id: activationId }, call)
    if (reply.kind !== 'reply') return reply
    const reading = readLicense(reply, licenseKey, settings)
    if (reading.kind === 'license' && reading.body.valid) {
      const { instance } = reading.body
      if (instance?.id !== activationId) return undocumented(reply)
      const activation = namedActivation(instance.id, instance.name, instance.created_at)
      return answer({ license: reading.license, activation }, reply.serverDateMs)
    }
    if (reading.kind === 'unavailable' && !mayMeanInstance(reply, reading)) return reading
    if (reading.kind === 'refusal' && reading.reason !== 'unknown-license') return reading
    // If the license itself is valid, the instance is gone. The error texts aren't documented, so check the license.
    const seen = await look(request, call)
    return seen.kind === 'license' ? refusal('unknown-activation', reply, seen.license) : seen
  }

  const listActivations: NonNullable<LicenseService['listActivations']> = async (request, call) => {
    const seen = await look(request, call)
    // An expired license still has devices.
    if (seen.kind === 'unavailable' || (seen.kind === 'refusal' && seen.license === null)) return seen
    const { id: licenseId, seatsInUse } = seen.license ?? nothingTold
    const readPage = async (number: number): Promise<ActivationPage | Refusal | Unavailable> => {
      const page = number + 1
      const reply = await sendVendor(
        {
          method: 'GET',
          url: `${baseUrl}/v1/license-key-instances`,
          searchParams: {
            'filter[license_key_id]': licenseId ?? '',
            'page[number]': page,
            'page[size]': 100,
          },
          headers: { accept: 'application/vnd.api+json' },
        },
        call,
      )
      const listed = read(reply, instancePageSchema)
      if (listed.kind !== 'read') return listed
      const { data, meta } = listed.body
      const items = data.map((item) => {
        const instance = listedInstanceSchema.safeParse(item).data?.attributes
        // If the service ignored the filter, this would be another customer's device.
        if (instance === undefined || (instance.license_key_id ?? licenseId) !== licenseId) return null
        return namedActivation(instance.identifier, instance.name, instance.created_at)
      })
      const { serverDateMs } = listed.reply
      return { kind: 'page', items, isLast: page >= meta.page.lastPage, serverDateMs }
    }
    return readActivations(readPage, seatsInUse, 'apiKey')
  }

  return {
    name: 'lemon-squeezy',
    baseUrl,
    capabilities: {
      listsActivations: apiKey !== undefined,
      idempotentByFingerprint: false,
      tellsTheEnd: true,
      signsItsAnswers: false,
      requestsPerMinute: 60,
    },
    links: { customerPortal },
    testMode,
    vendorSecrets: apiKey === undefined ? [] : ['apiKey'],
    findLicenseKey: (text) => findLicenseKey(text, 'uuid'),

    async activate({ licenseKey, deviceName, fingerprint, allowsTestLicense = true }, call) {
      // The service activates keys of any store, so check the store first to avoid using another license's seat.
      const before = await look({ licenseKey }, call)
      if (before.kind !== 'license') return before
      if (before.license.isTest === true && !allowsTestLicense && !testMode) {
        return refusal('test-license', { status: 200, serverDateMs: before.serverDateMs }, before.license)
      }
      // An activated device goes on by what `valid` says, but no seat is taken for a status that may mean no.
      if (before.license.status === null) return unknownStatus(before)
      const instance_name = composeActivationName(deviceName, fingerprint)
      const reply = await post('activate', { license_key: licenseKey, instance_name }, call)
      if (reply.kind !== 'reply') return reply
      const reading = readLicense(reply, licenseKey, settings)
      if (reading.kind !== 'license') return reading
      const { activated, instance } = reading.body
      if (activated === true && instance != null) {
        const activation = namedActivation(instance.id, instance.name, instance.created_at)
        return answer({ license: reading.license, activation }, reply.serverDateMs)
      }
      const reason = activated === false ? reasonOf(reading.body, reading.license) : null
      if (reason !== null) return refusal(reason, reply, reading.license)
      return { ...undocumented(reply), mayHaveActed: activated !== false }
    },

    validate,

    async deactivate(request, call) {
      const { licenseKey, activationId } = request
      const reply = await post('deactivate', { license_key: licenseKey, instance_id: activationId }, call)
      if (reply.kind !== 'reply') return reply
      const reading = readLicense(reply, licenseKey, settings)
      if (reading.kind === 'license' && reading.body.deactivated) return answer(null, reply.serverDateMs)
      // For any refusal, check whether the instance still exists.
      const seen = await validate(request, call)
      if (seen.kind === 'unavailable') return { ...seen, mayHaveActed: true }
      return seen.kind === 'answer' ? undocumented(reply) : seen
    },

    showLicense,
    ...(apiKey !== undefined && { listActivations }),
  }
}

/** What a reply reports about the license, for any request. */
type LicenseReading =
  /** The license can be used, but the request itself may have been refused. */
  | {
      readonly kind: 'license'
      readonly license: LicenseFacts
      readonly body: LicenseAnswer
      readonly serverDateMs: number | null
    }
  | Refusal
  | Unavailable

/** The service's statuses: https://docs.lemonsqueezy.com/api/license-api */
const statuses: Readonly<Record<string, LicenseStatus>> = {
  active: 'active',
  // Valid, but not activated on any device yet.
  inactive: 'active',
  expired: 'expired',
  disabled: 'suspended',
}

/** Reads a reply by its body, because the HTTP statuses of refusals aren't documented. */
function readLicense(reply: Reply, licenseKey: string, { storeId, productId }: Settings): LicenseReading {
  const parsed = licenseAnswerSchema.safeParse(reply.body)
  if (!parsed.success) return undocumented(reply, false)
  const body = parsed.data
  const isGood = body.valid ?? body.activated ?? body.deactivated
  const { license_key: key, meta } = body
  if (key == null) {
    const isUnknown = reply.status === 404 && /license_key not found/iu.test(body.error ?? '')
    // A proxy's error has neither. It may repeat the path, which contains `licenses`.
    const isOwn = isGood != null || /license[_ ]key/iu.test(body.error ?? '')
    return isUnknown ? refusal('unknown-license', reply) : undocumented(reply, isOwn)
  }
  // Without its store, the key may belong to any vendor.
  if (meta == null || !isSameKey(key, licenseKey)) return undocumented({ ...reply, status: 200 })
  if (meta.store_id !== storeId || !productId.includes(meta.product_id))
    return refusal('wrong-product', reply)

  const license = factsOf(key, meta)
  if (!isGood && license.status !== 'active') {
    return license.status === null ? unknownStatus(reply) : refusal(license.status, reply, license)
  }
  // `valid` counts more than the status, which stays `null` if it is an unknown one.
  const status = license.status && 'active'
  return { kind: 'license', license: { ...license, status }, body, serverDateMs: reply.serverDateMs }
}

/** Whether a refusal may mean that the instance is unknown. The text of that one isn't documented. */
function mayMeanInstance({ status }: Reply, { cause, bodyIsJson }: Unavailable): boolean {
  // An `unexpected-answer` is about another license.
  return bodyIsJson === true && (status === 400 || status === 404) && cause !== 'unexpected-answer'
}

/** Returns why an activation of a valid license was refused; `null` if the response has no reason. */
function reasonOf({ error }: LicenseAnswer, license: LicenseFacts): RefusalReason | null {
  if (/activation limit/iu.test(error ?? '')) return 'no-seat-left'
  const { seatLimit, seatsInUse } = license
  return typeof seatLimit === 'number' && seatsInUse !== null && seatsInUse >= seatLimit
    ? 'no-seat-left'
    : null
}

function factsOf(key: z.output<typeof licenseKeySchema>, meta: z.output<typeof metaSchema>): LicenseFacts {
  return {
    ...nothingTold,
    id: key.id,
    status: statuses[key.status ?? ''] ?? null,
    endsAtMs: endOf(key.expires_at),
    seatLimit: limitOf(key.activation_limit),
    seatsInUse: key.activation_usage ?? null,
    product: meta.product_id,
    plan: meta.variant_name ?? null,
    licensee: meta.customer_name ?? null,
    isTest: key.test_mode ?? null,
  }
}

function isSameKey({ key }: z.output<typeof licenseKeySchema>, licenseKey: string): boolean {
  return key == null || key.toLowerCase() === licenseKey.toLowerCase()
}
