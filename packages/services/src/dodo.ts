import { defaultTimeoutMs, isAnyId } from '@latchkey/commerce/http'
import { checkOptions, secretOption } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { composeActivationName } from './activation-name.ts'
import { findLicenseKey } from './license-key.ts'
import {
  type ActivatedLicense,
  type ActivationList,
  type ActivationRequest,
  answer,
  type LicenseFacts,
  type LicenseRequest,
  type LicenseService,
  type LicenseStatus,
  nothingTold,
  type Outcome,
  type Refusal,
  type RefusalReason,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
} from './license-service.ts'
import { readActivations } from './list-activations.ts'
import { createSend, type Reply, undocumented, unknownStatus } from './request.ts'
import { oneOrMore, onOrOff, type ServiceOptions, serviceOptions } from './service-options.ts'
import { count, customerField, endOf, limitOf, namedActivation, text } from './wire.ts'

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
  const vendor = apiKey === undefined ? null : createVendorApi(settings, baseUrl)

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

const statuses: Readonly<Record<string, LicenseStatus>> = {
  active: 'active',
  expired: 'expired',
  disabled: 'suspended',
}

/** A license as returned by the vendor's API. */
interface FoundLicense {
  readonly kind: 'license'
  readonly license: LicenseFacts
  readonly serverDateMs: number | null
}

/** A walk through all license keys, which calls share. Times are from `performance.now()`. */
interface Walk {
  readonly startedMs: number
  /** When it requested its last page. */
  requestedMs: number
  ended: {
    readonly atMs: number
    readonly outcome: Refusal | Unavailable
    /** Whether it read every page, so that a later call need not do so at once. */
    readonly isWhole: boolean
  } | null
}

/** Dodo Payments can't search by license key, so all licenses of the product are read: at most 200 pages of 100. */
const maxPages = 200

/** How long a walk answers after its end for license keys that it didn't find, in milliseconds. */
const rememberedMs = 10_000

/** How often every page is read for license keys that aren't found, in milliseconds. Meanwhile the newest pages are enough. */
const readsAllEveryMs = 10 * 60 * 1000

/** How often a call looks at the walk of another one, in milliseconds. */
const lookEveryMs = 50

/** Most license keys to remember whose activation had no answer. */
const mostUnanswered = 1_000

/** Creates the requests that need the vendor's API key. */
function createVendorApi({ apiKey, productId: productIds, testMode: isTest }: Settings, baseUrl: string) {
  const send = createSend(`Bearer ${apiKey}`)
  // What the calls share, so that made-up license keys don't make each of them read every page. It is plain data: on some
  // platforms, a request can't wait for another one's promise.
  /** The license's ID for each license key that was seen on a page. */
  const idsByKey = new Map<string, string>()
  /** License keys that may have an activation of which no answer came. An earlier walk doesn't call them unknown. */
  const unanswered = new Set<string>()
  /** When every page was last read without finding a license key, and the last page of each product with a license. */
  let readAll: { readonly atMs: number; readonly lastPages: ReadonlyMap<string, number> } | null = null
  /** The latest walk; `null` if it found what it was looking for, so that its end is unknown. */
  let latest: Walk | null = null

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

  /** Reads a license by its ID; `null` if the reply isn't about it. */
  async function getLicense(id: string, call?: ServiceCall) {
    const reply = await get('license_keys', id, call)
    if (reply.kind !== 'reply') return reply
    const { data } = licenseKeySchema.safeParse(reply.body)
    const key = reply.status === 200 && data?.id === id ? data : null
    return { kind: 'license-reply' as const, key, reply }
  }

  /** Reads one page, of at most 100 items. Pages are counted from 0. */
  async function getPage(
    list: VendorList,
    query: Record<string, string>,
    page: number,
    call: ServiceCall | undefined,
  ) {
    const searchParams = { ...query, page_size: 100, page_number: page }
    const reply = await send({ method: 'GET', url: `${baseUrl}/${list}`, searchParams }, call)
    if (reply.kind !== 'reply') return reply
    const parsed = pageSchema.safeParse(reply.body)
    if (reply.status !== 200 || !parsed.success) return undocumented(reply)
    return { kind: 'page' as const, items: parsed.data.items, reply }
  }

  /**
   * Finds a license. One that was seen before is asked for by its ID. Otherwise the licenses are read page by page, by one
   * call at a time.
   */
  async function findLicense(
    licenseKey: string,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    // A page may be requested twice. A walk that takes longer for it was given up.
    const longestPageMs = 2 * (call?.timeoutMs ?? defaultTimeoutMs) + 3_000
    const arrivedMs = performance.now()
    let needsNewWalk = unanswered.has(licenseKey)
    let wasSeen = false
    for (;;) {
      if (idsByKey.has(licenseKey)) {
        // An earlier walk doesn't call a license unknown that was seen.
        needsNewWalk = wasSeen = true
        const seen = await readSeen(licenseKey, call)
        if (seen !== null) return seen
      }
      if (latest === null || call?.signal?.aborted === true) return walkFor(licenseKey, wasSeen, call)
      const { startedMs, requestedMs, ended } = latest
      if (ended !== null) {
        // A failure is only told to those who waited for it.
        const untilMs = ended.isWhole ? ended.atMs + rememberedMs : ended.atMs
        const counts = (needsNewWalk ? startedMs : untilMs) >= arrivedMs
        return counts ? ended.outcome : walkFor(licenseKey, wasSeen, call)
      }
      if (performance.now() - requestedMs > longestPageMs) return walkFor(licenseKey, wasSeen, call)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }

  /** Reads a license that was seen on a page before; `null` if it has another license key now. */
  async function readSeen(
    licenseKey: string,
    call?: ServiceCall,
  ): Promise<FoundLicense | Unavailable | null> {
    const got = await getLicense(idsByKey.get(licenseKey) ?? '', call)
    if (got.kind !== 'license-reply') return got
    const { key, reply } = got
    // Its product was known when it was seen, in case the service doesn't report it here.
    const isOurs = key?.product_id == null || productIds.includes(key.product_id)
    if (key?.key === licenseKey && isOurs) {
      return { kind: 'license', license: factsOf(key), serverDateMs: reply.serverDateMs }
    }
    idsByKey.delete(licenseKey)
    return null
  }

  async function walkFor(
    licenseKey: string,
    wasSeen: boolean,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    const startedMs = performance.now()
    const walk: Walk = { startedMs, requestedMs: startedMs, ended: null }
    latest = walk
    const forget = (): void => {
      if (latest === walk) latest = null
    }
    const isRecent = readAll !== null && startedMs - readAll.atMs < readsAllEveryMs
    const before = isRecent && !wasSeen ? readAll : null
    const lastPages = new Map<string, number>()
    const end = <Ended extends Refusal | Unavailable>(outcome: Ended, isWhole: boolean): Ended => {
      // Only the call itself was canceled.
      if (outcome.kind === 'unavailable' && outcome.cause === 'cancelled') forget()
      else walk.ended = { atMs: performance.now(), outcome, isWhole }
      if (isWhole) readAll = { atMs: before?.atMs ?? performance.now(), lastPages }
      return outcome
    }
    let last = { status: 200, serverDateMs: null as number | null }
    for (const product_id of productIds) {
      // The service doesn't document its order: new licenses are on the first page, or on the last one. One page more is
      // read, because a list gets shorter when licenses are deleted.
      const newestFrom = Math.max(1, (before?.lastPages.get(product_id) ?? 0) - 1)
      for (let page = 0; ; page = page === 0 ? newestFrom : page + 1) {
        if (page >= maxPages)
          return end(unavailable('unexpected-answer', { detail: 'too many licenses' }), true)
        walk.requestedMs = performance.now()
        const read = await getPage('license_keys', { product_id }, page, call)
        if (read.kind !== 'page') return end(read, false)
        const keys = read.items.flatMap((item) => licenseKeySchema.safeParse(item).data ?? [])
        for (const { key, id } of keys) if (!idsByKey.has(key)) idsByKey.set(key, id)
        const found = keys.find(({ key }) => key === licenseKey)
        if (found !== undefined) {
          forget()
          return { kind: 'license', license: factsOf(found), serverDateMs: read.reply.serverDateMs }
        }
        last = read.reply
        if (read.items.length === 0) break
        lastPages.set(product_id, page)
      }
    }
    return end(refusal('unknown-license', last), true)
  }

  return {
    async showLicense(licenseKey: string, call?: ServiceCall): Promise<Outcome<LicenseFacts>> {
      const found = await findLicense(licenseKey, call)
      return found.kind === 'license' ? answer(found.license, found.serverDateMs) : found
    },

    async listActivations(
      { licenseKey }: LicenseRequest,
      call?: ServiceCall,
    ): Promise<Outcome<ActivationList>> {
      const found = await findLicense(licenseKey, call)
      if (found.kind !== 'license') return found
      const licenseId = found.license.id ?? ''
      return readActivations(
        async (number) => {
          const page = await getPage('license_key_instances', { license_key_id: licenseId }, number, call)
          if (page.kind !== 'page') return page
          const items = page.items.map((item) => {
            const { data } = instanceSchema.safeParse(item)
            // If the service ignored the filter, this would be another customer's device.
            const isOurs = (data?.license_key_id ?? licenseId) === licenseId
            return data !== undefined && isOurs ? namedActivation(data.id, data.name, data.created_at) : null
          })
          const isLast = items.length === 0
          return { kind: 'page', items, isLast, serverDateMs: page.reply.serverDateMs }
        },
        found.license.seatsInUse,
        null,
      )
    },

    /** Unlike the public *validate*, it also returns the device, the license's end, and why a license is inactive. */
    async validateInstance(
      { licenseKey, activationId }: ActivationRequest,
      call?: ServiceCall,
    ): Promise<Outcome<ActivatedLicense>> {
      const shown = await get('license_key_instances', activationId, call)
      if (shown.kind !== 'reply') return shown
      if (shown.status === 404 && errorSchema.safeParse(shown.body).success) {
        return refusal('unknown-activation', shown)
      }
      const { data: instance } = instanceSchema.safeParse(shown.body)
      if (shown.status !== 200 || instance?.license_key_id == null || instance.id !== activationId)
        return undocumented(shown)
      const got = await getLicense(instance.license_key_id, call)
      if (got.kind !== 'license-reply') return got
      const { key, reply } = got
      if (key === null) return undocumented(reply)
      // The device belongs to another license.
      if (key.key !== licenseKey) return refusal('unknown-activation', reply)
      const license = factsOf(key)
      if (!productIds.includes(license.product ?? '')) return refusal('wrong-product', reply, license)
      const { status } = license
      if (status !== null && status !== 'active') return refusal(status, reply, license)
      const activation = namedActivation(activationId, instance.name, instance.created_at)
      return answer({ license, activation }, reply.serverDateMs)
    },

    /** Shows a license after its activation, whose response contains neither its end nor its seats; `null` if it can't. */
    async showLicenseById(id: string | null | undefined, call?: ServiceCall) {
      const got = id == null ? null : await getLicense(id, call)
      if (got?.kind !== 'license-reply' || got.key === null) return null
      const { key } = got
      return { facts: factsOf(key), isNewStatus: key.status != null && statuses[key.status] === undefined }
    },

    /** Notes an activation, because a walk that began before it may not know its license. */
    noteActivation(licenseKey: string, outcome: Outcome<ActivatedLicense>): void {
      const id = outcome.kind === 'answer' ? outcome.value.license.id : null
      if (id !== null) idsByKey.set(licenseKey, id)
      if (id !== null || outcome.kind === 'refusal') return
      const [oldest] = unanswered
      if (unanswered.size >= mostUnanswered && oldest !== undefined) unanswered.delete(oldest)
      unanswered.add(licenseKey)
    },
  }
}

type VendorList = 'license_keys' | 'license_key_instances'
