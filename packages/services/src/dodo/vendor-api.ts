import { defaultTimeoutMs, isAnyId } from '@latchkey/commerce/http'
import * as z from 'zod/mini'
import {
  type ActivatedLicense,
  type Activation,
  type ActivationList,
  type ActivationRequest,
  answer,
  checkedList,
  type LicenseFacts,
  type LicenseRequest,
  type LicenseStatus,
  nothingTold,
  type Outcome,
  type Refusal,
  refusal,
  type ServiceCall,
  type Unavailable,
  unavailable,
} from '../license-service.ts'
import { createSend, type Reply, undocumented } from '../request.ts'
import { count, endOf, limitOf, namedActivation, text } from '../wire.ts'
import { createSharedWalk, joinWalk, type OwnWalk } from './shared-walk.ts'

// https://docs.dodopayments.com/api-reference/licenses/get-license-keys

/** What *activate* and `GET /license_key_instances` have in common. */
export const instanceFields: {
  readonly id: z.ZodMiniType<string>
  readonly license_key_id: z.ZodMiniType<string | null | undefined>
  readonly name: z.ZodMiniType<string | null | undefined>
  readonly created_at: z.ZodMiniType<string | null | undefined>
} = { id: z.string(), license_key_id: text, name: text, created_at: text }

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
const errorSchema = z.object({ code: z.string() })

type DodoLicenseKey = z.output<typeof licenseKeySchema>

/** Dodo Payments can't search by license key, so all licenses of the product are read: at most 200 pages of 100. */
const maxPages = 200

/**
 * How often all pages are read for license keys that are on none of them, in milliseconds. In between, such a key is only
 * looked for on the first and the last pages, where new licenses are, so that a stranger's made-up keys cost few requests.
 */
const readsAllEveryMs = 600_000

/** Most license keys to remember whose activation had no answer. */
const mostUnanswered = 1_000

/** A license as returned by the vendor's API. */
interface FoundLicense {
  readonly kind: 'license'
  readonly license: LicenseFacts
  readonly serverDateMs: number | null
}

/** A page of a list that the vendor's API returned. */
interface Page {
  readonly kind: 'page'
  readonly items: readonly unknown[]
  readonly reply: Reply
}

/** What the vendor's API reports about a license. */
interface ShownLicense {
  readonly facts: LicenseFacts
  /** Whether its status is new to this adapter. */
  readonly isNewStatus: boolean
}

/** The requests that need the vendor's API key. */
export interface VendorApi {
  /** Finds a license, and returns its facts. */
  showLicense(licenseKey: string, call: ServiceCall | undefined): Promise<Outcome<LicenseFacts>>
  /** Finds a license, and lists its instances. */
  listActivations(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<ActivationList>>
  /**
   * Validates an activation. Unlike the public *validate*, it also returns the device, the license's end, and why a license
   * is inactive.
   */
  validateInstance(
    request: ActivationRequest,
    call: ServiceCall | undefined,
  ): Promise<Outcome<ActivatedLicense>>
  /**
   * Shows a license by its ID, because the response to *activate* contains neither its end nor its seats; `null` if it can't
   * be read.
   */
  showLicenseById(
    licenseId: string | null | undefined,
    call: ServiceCall | undefined,
  ): Promise<ShownLicense | null>
  /** Notes an activation, because a walk that began before it may not know its license. */
  noteActivation(licenseKey: string, outcome: Outcome<ActivatedLicense>): void
}

export function createVendorApi(options: {
  readonly baseUrl: string
  readonly apiKey: string
  readonly productIds: readonly string[]
  readonly isTest: boolean
}): VendorApi {
  const { baseUrl, apiKey, productIds, isTest } = options
  const send = createSend(`Bearer ${apiKey}`)
  const shared = createSharedWalk()
  const { idsByKey, unanswered } = shared

  async function get(
    list: 'license_keys' | 'license_key_instances',
    id: string,
    call: ServiceCall | undefined,
  ): Promise<Reply | Unavailable> {
    if (!isAnyId(id)) return unavailable('misconfigured', { detail: 'an ID that cannot be sent' })
    return send({ method: 'GET', url: `${baseUrl}/${list}/${encodeURIComponent(id)}` }, call)
  }

  /** Reads one page, of at most 100 items. Pages are counted from 0. */
  async function getPage(
    list: 'license_keys' | 'license_key_instances',
    query: Record<string, string>,
    page: number,
    call: ServiceCall | undefined,
  ): Promise<Page | Unavailable> {
    const searchParams = { ...query, page_size: 100, page_number: page }
    const reply = await send({ method: 'GET', url: `${baseUrl}/${list}`, searchParams }, call)
    if (reply.kind !== 'reply') return reply
    const parsed = pageSchema.safeParse(reply.body)
    if (reply.status !== 200 || !parsed.success) return undocumented(reply)
    return { kind: 'page', items: parsed.data.items, reply }
  }

  /**
   * Finds a license. One that was seen before is asked for by its ID. Otherwise the licenses are read page by page, by one
   * call at a time.
   */
  async function findLicense(
    licenseKey: string,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    const pageTimeoutMs = call?.timeoutMs ?? defaultTimeoutMs
    const arrivedMs = performance.now()
    let wasSeen = false
    for (;;) {
      // An earlier walk doesn't call a license unknown that it has seen, or that has been activated since.
      wasSeen ||= idsByKey.has(licenseKey)
      const needsNewWalk = wasSeen || unanswered.has(licenseKey)
      const seen = await readSeen(licenseKey, call)
      if (seen !== null) return seen
      const arrival = { arrivedMs, needsNewWalk }
      const joined = await joinWalk(shared, licenseKey, arrival, pageTimeoutMs, call?.signal)
      if (joined.kind === 'own-walk') return walkFor(licenseKey, joined, wasSeen, call)
      if (joined.kind !== 'seen') return joined
    }
  }

  /** Reads a license that was seen on a page before; `null` if there was none, or if it has another license key now. */
  async function readSeen(
    licenseKey: string,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Unavailable | null> {
    const seenId = idsByKey.get(licenseKey)
    if (seenId === undefined) return null
    const reply = await get('license_keys', seenId, call)
    if (reply.kind !== 'reply') return reply
    const { data } = licenseKeySchema.safeParse(reply.body)
    const isSeen =
      data?.id === seenId &&
      data.key === licenseKey &&
      // Its product was known when it was seen, in case the service doesn't report it here.
      (data.product_id == null || productIds.includes(data.product_id))
    if (reply.status === 200 && isSeen) {
      return { kind: 'license', license: factsOf(data), serverDateMs: reply.serverDateMs }
    }
    idsByKey.delete(licenseKey)
    return null
  }

  async function walkFor(
    licenseKey: string,
    walk: OwnWalk,
    wasSeen: boolean,
    call: ServiceCall | undefined,
  ): Promise<FoundLicense | Refusal | Unavailable> {
    let last: Reply | null = null
    const { whole } = shared
    const readsAll = wasSeen || whole === null || performance.now() - whole.endedMs >= readsAllEveryMs
    const lastPages = new Map<string, number>()
    const end = (outcome: Refusal | Unavailable): Refusal | Unavailable => {
      shared.whole = { endedMs: readsAll ? performance.now() : whole.endedMs, lastPages }
      return walk.end(outcome, true)
    }
    for (const productId of productIds) {
      // The service doesn't document its order, so new licenses may be on the first page or on the last ones. One page more
      // is read, because the list gets shorter when licenses are deleted.
      const newestFrom = readsAll ? 1 : Math.max(1, (whole.lastPages.get(productId) ?? 0) - 1)
      for (let page = 0; ; page = page === 0 ? newestFrom : page + 1) {
        walk.nextPage()
        const reply = await getPage('license_keys', { product_id: productId }, page, call)
        if (reply.kind !== 'page') return walk.end(reply, false)
        let found: DodoLicenseKey | null = null
        for (const item of reply.items) {
          const parsed = licenseKeySchema.safeParse(item)
          if (!parsed.success) continue
          const { key, id } = parsed.data
          if (!idsByKey.has(key)) idsByKey.set(key, id)
          if (key === licenseKey) found ??= parsed.data
        }
        if (found !== null) {
          walk.found()
          return { kind: 'license', license: factsOf(found), serverDateMs: reply.reply.serverDateMs }
        }
        last = reply.reply
        if (reply.items.length === 0) break
        lastPages.set(productId, page)
        if (page >= maxPages - 1)
          return end(unavailable('unexpected-answer', { detail: 'too many licenses' }))
      }
    }
    return end(last === null ? unavailable('misconfigured') : refusal('unknown-license', last))
  }

  async function listInstances(
    { id, seatsInUse }: LicenseFacts,
    call: ServiceCall | undefined,
  ): Promise<Outcome<ActivationList>> {
    const licenseId = id ?? ''
    const activations = new Map<string, Activation>()
    let isWhole = true
    for (let page = 0; page < maxPages; page += 1) {
      const reply = await getPage('license_key_instances', { license_key_id: licenseId }, page, call)
      if (reply.kind !== 'page') return reply
      for (const item of reply.items) {
        const parsed = instanceSchema.safeParse(item)
        // If the service ignored the filter, this would be another customer's device.
        if (!parsed.success || (parsed.data.license_key_id ?? licenseId) !== licenseId) isWhole = false
        else
          activations.set(
            parsed.data.id,
            namedActivation(parsed.data.id, parsed.data.name, parsed.data.created_at),
          )
      }
      if (reply.items.length === 0) {
        const { serverDateMs } = reply.reply
        // The secret that found the license sees its instances, too.
        return checkedList(
          { activations: [...activations.values()], isWhole, serverDateMs },
          seatsInUse,
          null,
        )
      }
    }
    return answer({ activations: [...activations.values()], isWhole: false }, null)
  }

  function factsOf(key: DodoLicenseKey): LicenseFacts {
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

  return {
    async showLicense(licenseKey, call) {
      const found = await findLicense(licenseKey, call)
      return found.kind === 'license' ? answer(found.license, found.serverDateMs) : found
    },

    async listActivations({ licenseKey }, call) {
      const found = await findLicense(licenseKey, call)
      return found.kind === 'license' ? listInstances(found.license, call) : found
    },

    async validateInstance({ licenseKey, activationId }, call) {
      const shown = await get('license_key_instances', activationId, call)
      if (shown.kind !== 'reply') return shown
      if (shown.status === 404 && errorSchema.safeParse(shown.body).success) {
        return refusal('unknown-activation', shown)
      }
      const { data: instance } = instanceSchema.safeParse(shown.body)
      const licenseId = instance?.license_key_id
      if (shown.status !== 200 || licenseId == null || instance?.id !== activationId)
        return undocumented(shown)
      const reply = await get('license_keys', licenseId, call)
      if (reply.kind !== 'reply') return reply
      const { data: key } = licenseKeySchema.safeParse(reply.body)
      if (reply.status !== 200 || key?.id !== licenseId) return undocumented(reply)
      // The device belongs to another license.
      if (key.key !== licenseKey) return refusal('unknown-activation', reply)
      const license = factsOf(key)
      if (!productIds.includes(license.product ?? '')) return refusal('wrong-product', reply, license)
      const { status } = license
      if (status !== null && status !== 'active') return refusal(status, reply, license)
      return answer(
        { license, activation: namedActivation(activationId, instance.name, instance.created_at) },
        reply.serverDateMs,
      )
    },

    async showLicenseById(licenseId, call) {
      if (licenseId == null) return null
      const reply = await get('license_keys', licenseId, call)
      const { data } = licenseKeySchema.safeParse(reply.kind === 'reply' ? reply.body : null)
      if (data?.id !== licenseId) return null
      return { facts: factsOf(data), isNewStatus: data.status != null && statuses[data.status] === undefined }
    },

    noteActivation(licenseKey, outcome) {
      const id = outcome.kind === 'answer' ? outcome.value.license.id : null
      if (id !== null) idsByKey.set(licenseKey, id)
      if (id !== null || outcome.kind === 'refusal') return
      const [oldest] = unanswered
      if (unanswered.size >= mostUnanswered && oldest !== undefined) unanswered.delete(oldest)
      unanswered.add(licenseKey)
    },
  }
}

const statuses: Readonly<Record<string, LicenseStatus>> = {
  active: 'active',
  expired: 'expired',
  disabled: 'suspended',
}
