import { defaultTimeoutMs, isAnyId } from '@latchkey/commerce/http'
import { checkOptions, secretOption } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { composeActivationName } from './activation-name.ts'
import { findLicenseKey } from './license-key.ts'
import {
  answer,
  type LicenseFacts,
  type LicenseService,
  type LicenseStatus,
  nothingTold,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
} from './license-service.ts'
import { createSend, type Reply, read, undocumented, unknownStatus } from './request.ts'
import { oneOrMore, onOrOff, type ServiceOptions, serviceOptions } from './service-options.ts'
import {
  type ActivationPage,
  count,
  customerField,
  endOf,
  limitOf,
  namedActivation,
  readActivations,
  text,
} from './wire.ts'

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

type Settings = z.output<typeof optionsSchema>

// https://docs.dodopayments.com/api-reference/licenses/activate-license
// Only fields that Latchkey needs are required.
const instanceFields = { id: z.string(), license_key_id: text, name: text, created_at: text }
const activationSchema = z.object({
  ...instanceFields,
  product: z.object({ product_id: z.string() }),
  customer: customerField,
})
const validationSchema = z.object({ valid: z.boolean() })
/** The body of every refusal. */
const errorSchema = z.object({ code: z.string().check(z.regex(/^[A-Z_]+$/u)) })

// https://docs.dodopayments.com/api-reference/licenses/get-license-keys
const instanceSchema = z.object(instanceFields)
const pageSchema = z.object({ items: z.array(z.unknown()) })
const licenseKeySchema = z.object({
  id: z.string(),
  key: z.string(),
  product_id: text,
  status: text,
  activations_limit: count,
  instances_count: count,
  expires_at: text,
})

/** https://docs.dodopayments.com/api-reference/error-codes */
const reasons: Readonly<Record<string, RefusalReason>> = {
  LICENSE_KEY_NOT_FOUND: 'unknown-license',
  LICENSE_KEY_LIMIT_REACHED: 'no-seat-left',
  // Means expired or disabled; the service doesn't distinguish them.
  INACTIVE_LICENSE_KEY: 'inactive',
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
  const vendor = apiKey === undefined ? null : createVendorApi(settings, baseUrl)
  const nothingButMode: LicenseFacts = { ...nothingTold, isTest }

  const post = (
    verb: 'activate' | 'validate' | 'deactivate',
    json: Record<string, string>,
    call: ServiceCall | undefined,
  ) => send({ method: 'POST', url: `${baseUrl}/licenses/${verb}`, json, acts: verb !== 'validate' }, call)

  /** *Validate* only returns true or false, without a reason. */
  async function ask(fields: Record<string, string>, call: ServiceCall | undefined) {
    return read(await post('validate', fields, call), validationSchema, readRefusal)
  }

  const validate: LicenseService['validate'] = async (request, call) => {
    const { licenseKey, activationId, fingerprint } = request
    const seen = (await vendor?.validateInstance(request, call)) ?? null
    // If the status is new to this adapter, the service itself says whether the license is valid.
    if (seen !== null && (seen.kind !== 'answer' || seen.value.license.status !== null)) return seen
    const asked = await ask({ license_key: licenseKey, license_key_instance_id: activationId }, call)
    if (asked.kind !== 'read') return asked
    if (asked.body.valid) {
      const activation = { id: activationId, deviceName: null, fingerprint, createdAtMs: null }
      return seen ?? answer({ license: nothingButMode, activation }, asked.reply.serverDateMs)
    }
    if (seen !== null) return refusal('inactive', asked.reply, seen.value.license)
    const again = await ask({ license_key: licenseKey }, call)
    if (again.kind !== 'read') return again
    if (again.body.valid) return refusal('unknown-activation', asked.reply)
    // Expired, disabled, and unknown keys get the same response. This key was known before.
    return { ...refusal('inactive', asked.reply), mayBeUnknown: true }
  }

  const deactivate: LicenseService['deactivate'] = async (request, call) => {
    const { licenseKey, activationId } = request
    const fields = { license_key: licenseKey, license_key_instance_id: activationId }
    const reply = await post('deactivate', fields, call)
    if (reply.kind !== 'reply') return reply
    const isDone = reply.status < 300
    const refused = readRefusal(reply)
    if (!isDone && refused.kind === 'refusal') return refused
    // A success has no body, which a network's sign-in page could fake, and a refusal without a known code may mean that
    // the activation belongs to another license. Only *validate* proves that it is gone, and only while the license is
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
      // If this can't reach the service, no seat was taken. Its answer doesn't matter: *activate* says why it refuses.
      if (vendor === null) {
        const reply = await post('validate', { license_key: licenseKey }, call)
        if (reply.kind !== 'reply') return reply
      }
      const fields = { license_key: licenseKey, name }
      const activated = read(await post('activate', fields, call), activationSchema, readRefusal)
      if (activated.kind !== 'read') return activated
      const { body, reply } = activated
      const { license_key_id: licenseId, product } = body
      const isOurs = productIds.includes(product.product_id)
      // The response contains neither its end nor its seats.
      const shown =
        isOurs && licenseId != null ? await vendor?.showActivated(licenseKey, licenseId, call) : null
      const isNewStatus = shown?.isNewStatus === true
      if (!isOurs || isNewStatus) {
        // Only now is it known that it is another product, or that its status is new, so release the seat.
        const freed = await deactivate({ licenseKey, activationId: body.id, fingerprint }, call)
        const isFree = freed.kind === 'answer'
        if (isNewStatus) return { ...unknownStatus(reply), mayHaveActed: !isFree }
        return { ...refusal('wrong-product', reply), leftoverActivationId: isFree ? null : body.id }
      }
      const license: LicenseFacts = {
        ...(shown?.license ?? nothingButMode),
        id: licenseId ?? null,
        product: product.product_id,
        plan: product.product_id,
        licensee: body.customer?.name ?? null,
      }
      const activation = namedActivation(body.id, name, body.created_at)
      return answer({ license, activation }, reply.serverDateMs)
    },

    validate,
    deactivate,

    async showLicense(request, call) {
      if (vendor !== null) return vendor.showLicense(request, call)
      const asked = await ask({ license_key: request.licenseKey }, call)
      if (asked.kind !== 'read') return asked
      return asked.body.valid
        ? answer(nothingButMode, asked.reply.serverDateMs)
        : refusal('inactive', asked.reply)
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

const statuses: Readonly<Record<string, LicenseStatus>> = {
  active: 'active',
  expired: 'expired',
  disabled: 'suspended',
}

/** A license as returned by the vendor's API. */
interface FoundLicense {
  readonly kind: 'license'
  readonly license: LicenseFacts
  readonly reply: Reply
}

/** One call's walk through all license keys. */
interface Walk {
  /** When it requested its last page, by `performance.now()`. */
  requestedMs: number
  failure: Unavailable | null
}

/** Dodo Payments can't search by license key, so all licenses of the product are read: at most 200 pages of 100. */
const maxPages = 200
const tooMany = unavailable('unexpected-answer', { detail: 'too many licenses' })

/** How often every page is read for license keys that aren't found, in milliseconds. Meanwhile only newer licenses are read. */
const readsAllEveryMs = 10 * 60 * 1000

/** How long before that a newer license may have been created, because the list may not have shown it yet. */
const unlistedMs = 60 * 60 * 1000

/** How often a call looks at the walk of another one, in milliseconds. */
const lookEveryMs = 50

/** Creates the requests that need the vendor's API key. */
function createVendorApi({ apiKey, productId: productIds, testMode: isTest }: Settings, baseUrl: string) {
  const send = createSend(`Bearer ${apiKey}`)
  // What the calls share, so that made-up license keys don't make each of them read every page. It is plain data: on some
  // platforms, a request can't wait for another one's promise.
  /** The license's ID for each license key that was seen on a page. */
  const idsByKey = new Map<string, string>()
  /** When every page was last read, by `performance.now()`, and since when newer licenses were created. */
  let readAll: { readonly atMs: number; readonly newerFrom: string; readonly isWhole: boolean } | null = null
  let walk: Walk | null = null

  function factsOf(key: z.output<typeof licenseKeySchema>): LicenseFacts {
    return {
      ...nothingTold,
      id: key.id,
      product: key.product_id ?? null,
      plan: key.product_id ?? null,
      status: statuses[key.status ?? ''] ?? null,
      endsAtMs: endOf(key.expires_at),
      seatLimit: limitOf(key.activations_limit),
      seatsInUse: key.instances_count ?? null,
      isTest,
    }
  }

  async function get(list: VendorList, id: string, call?: ServiceCall): Promise<Reply | Unavailable> {
    if (!isAnyId(id)) return unavailable('misconfigured', { detail: 'an ID that cannot be sent' })
    return send({ method: 'GET', url: `${baseUrl}/${list}/${encodeURIComponent(id)}` }, call)
  }

  async function getLicense(id: string, call?: ServiceCall) {
    const seen = read(await get('license_keys', id, call), licenseKeySchema)
    return seen.kind === 'read' && seen.body.id !== id ? undocumented(seen.reply) : seen
  }

  /** Reads one page, of at most 100 items. Pages are counted from 0. */
  async function getPage(list: VendorList, query: Record<string, string>, page: number, call?: ServiceCall) {
    const searchParams = { ...query, page_size: 100, page_number: page }
    return read(await send({ method: 'GET', url: `${baseUrl}/${list}`, searchParams }, call), pageSchema)
  }

  /**
   * Finds a license. One that was seen before is asked for by its ID. Otherwise the licenses are read page by page: all
   * of them by one call at a time, and then the newer ones.
   */
  async function findLicense(
    licenseKey: string,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    // A page may be requested twice. A walk that takes longer for it was given up.
    const longestPageMs = 2 * (call?.timeoutMs ?? defaultTimeoutMs) + 3_000
    for (;;) {
      const id = idsByKey.get(licenseKey)
      if (id !== undefined) {
        const seen = await getLicense(id, call)
        if (seen.kind !== 'read') return seen
        const { body, reply } = seen
        // Its product was known when it was seen, in case the service doesn't report it here.
        const isOurs = body.product_id == null || productIds.includes(body.product_id)
        if (body.key !== licenseKey || !isOurs) return undocumented(reply)
        return { kind: 'license', license: factsOf(body), reply }
      }
      const other = walk
      const isStuck = other !== null && performance.now() - other.requestedMs > longestPageMs
      if (other === null || isStuck || call?.signal?.aborted === true) return readLicenses(licenseKey, call)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      if (other.failure !== null) return other.failure
    }
  }

  /** Reads all licenses, or the newer ones if all were read in the last minutes, until one has the license key. */
  async function readLicenses(
    licenseKey: string,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    const startedMs = performance.now()
    const own: Walk = { requestedMs: startedMs, failure: null }
    const recent = readAll !== null && startedMs - readAll.atMs < readsAllEveryMs ? readAll : null
    if (recent === null) walk = own
    const outcome = await readPages(licenseKey, recent?.newerFrom, own, call)
    // Only the call itself was canceled.
    if (outcome.kind === 'unavailable' && outcome.cause !== 'cancelled') own.failure = outcome
    if (walk === own) walk = null
    const isWhole = outcome.kind === 'refusal'
    if (recent !== null) return isWhole && !recent.isWhole ? tooMany : outcome
    if (isWhole || outcome === tooMany) {
      const nowMs = (outcome.serverDateMs ?? Date.now()) - (performance.now() - startedMs)
      readAll = { atMs: startedMs, newerFrom: new Date(nowMs - unlistedMs).toISOString(), isWhole }
    }
    return outcome
  }

  async function readPages(
    licenseKey: string,
    newerFrom: string | undefined,
    own: Walk,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    let last: Reply | null = null
    for (const product_id of productIds) {
      const query = { product_id, ...(newerFrom !== undefined && { created_at_gte: newerFrom }) }
      for (let number = 0; ; number += 1) {
        if (number >= maxPages) return tooMany
        own.requestedMs = performance.now()
        const page = await getPage('license_keys', query, number, call)
        if (page.kind !== 'read') return page
        const keys = page.body.items.flatMap((item) => licenseKeySchema.safeParse(item).data ?? [])
        for (const { key, id } of keys) if (!idsByKey.has(key)) idsByKey.set(key, id)
        const found = keys.find(({ key }) => key === licenseKey)
        if (found !== undefined) return { kind: 'license', license: factsOf(found), reply: page.reply }
        last = page.reply
        if (page.body.items.length === 0) break
      }
    }
    return refusal('unknown-license', last)
  }

  const showLicense: NonNullable<LicenseService['showLicense']> = async ({ licenseKey }, call) => {
    const found = await findLicense(licenseKey, call)
    return found.kind === 'license' ? answer(found.license, found.reply.serverDateMs) : found
  }

  const listActivations: NonNullable<LicenseService['listActivations']> = async ({ licenseKey }, call) => {
    const found = await findLicense(licenseKey, call)
    if (found.kind !== 'license') return found
    const licenseId = found.license.id ?? ''
    const readPage = async (number: number): Promise<ActivationPage | Refusal | Unavailable> => {
      const page = await getPage('license_key_instances', { license_key_id: licenseId }, number, call)
      if (page.kind !== 'read') return page
      const items = page.body.items.map((item) => {
        const { data } = instanceSchema.safeParse(item)
        // If the service ignored the filter, this would be another customer's device.
        const isOurs = (data?.license_key_id ?? licenseId) === licenseId
        return data !== undefined && isOurs ? namedActivation(data.id, data.name, data.created_at) : null
      })
      return { kind: 'page', items, isLast: items.length === 0, serverDateMs: page.reply.serverDateMs }
    }
    return readActivations(readPage, found.license.seatsInUse, null)
  }

  /** Unlike the public *validate*, it also returns the device, the license's end, and why a license is inactive. */
  const validateInstance: LicenseService['validate'] = async ({ licenseKey, activationId }, call) => {
    const shown = read(await get('license_key_instances', activationId, call), instanceSchema, (reply) =>
      reply.status === 404 && errorSchema.safeParse(reply.body).success
        ? refusal('unknown-activation', reply)
        : undocumented(reply),
    )
    if (shown.kind !== 'read') return shown
    const { id, license_key_id: licenseId, name, created_at } = shown.body
    if (licenseId == null || id !== activationId) return undocumented(shown.reply)
    const seen = await getLicense(licenseId, call)
    if (seen.kind !== 'read') return seen
    const { body: key, reply } = seen
    // The device belongs to another license.
    if (key.key !== licenseKey) return refusal('unknown-activation', reply)
    const license = factsOf(key)
    if (!productIds.includes(license.product ?? '')) return refusal('wrong-product', reply, license)
    const { status } = license
    if (status !== null && status !== 'active') return refusal(status, reply, license)
    return answer({ license, activation: namedActivation(id, name, created_at) }, reply.serverDateMs)
  }

  /** Shows a license that was activated; `null` if that fails. From now on, its ID is known. */
  async function showActivated(licenseKey: string, id: string, call: ServiceCall | undefined) {
    idsByKey.set(licenseKey, id)
    const seen = await getLicense(id, call)
    if (seen.kind !== 'read') return null
    const { status } = seen.body
    return { license: factsOf(seen.body), isNewStatus: status != null && statuses[status] === undefined }
  }

  return { showLicense, listActivations, validateInstance, showActivated }
}

type VendorList = 'license_keys' | 'license_key_instances'
