import { checkedList } from '../contract/checked-list.ts'
import type {
  ActivatedLicense,
  Activation,
  ActivationList,
  LicenseFacts,
  LicenseStatus,
} from '../contract/license-facts.ts'
import type { ActivationRequest } from '../contract/license-service.ts'
import type { Outcome, Refusal, Unavailable } from '../contract/outcome.ts'
import { answer, nothingTold, refusal, unavailable } from '../contract/outcomes.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { defaultTimeoutMs, type Reply, undocumented } from '../http/send.ts'
import { endOf, limitOf } from '../text/timestamps.ts'
import { instanceOf } from './instance-of.ts'
import type { DodoSettings } from './options.ts'
import { get, getLicense, getPage } from './read-vendor-api.ts'
import { createSharedWalk, joinWalk, type OwnWalk, type SharedWalk } from './shared-walk.ts'
import { type DodoLicenseKey, instanceSchema, licenseKeySchema } from './vendor-wire.ts'
import { errorSchema } from './wire.ts'

/** Dodo Payments can't search by license key, so all licenses of the product are read: at most 200 pages of 100. */
const maxPages = 200

/** A license as returned by the vendor's API. */
export interface FoundLicense {
  readonly kind: 'license'
  readonly license: LicenseFacts
  readonly serverDateMs: number | null
}

/** By adapter: each has settings of its own. */
const walks = new WeakMap<DodoSettings, SharedWalk>()

function walkOf(settings: DodoSettings): SharedWalk {
  const known = walks.get(settings)
  if (known !== undefined) return known
  const created = createSharedWalk()
  walks.set(settings, created)
  return created
}

/**
 * Finds a license with the vendor's API key. One that was seen before is asked for by its ID. Otherwise all licenses are
 * read page by page in the service's order, by one call at a time.
 */
export async function findLicense(
  settings: DodoSettings,
  apiKey: string,
  licenseKey: string,
  call: ServiceCall | undefined,
): Promise<FoundLicense | Refusal | Unavailable> {
  const shared = walkOf(settings)
  const pageTimeoutMs = call?.timeoutMs ?? defaultTimeoutMs
  const arrivedMs = performance.now()
  let needsNewWalk = false
  for (;;) {
    // An earlier walk doesn't call a license unknown that it has seen, or that has been activated since.
    if (shared.idsByKey.has(licenseKey) || shared.unanswered.has(licenseKey)) needsNewWalk = true
    const seen = await readSeen(settings, apiKey, licenseKey, shared, call)
    if (seen !== null) return seen
    const joined = await joinWalk(
      shared,
      licenseKey,
      { arrivedMs, needsNewWalk },
      pageTimeoutMs,
      call?.signal,
    )
    if (joined.kind === 'own-walk') return walkFor(settings, apiKey, licenseKey, shared, joined, call)
    if (joined.kind !== 'seen') return joined
  }
}

/** Most license keys to remember whose activation had no answer. */
const mostUnanswered = 1_000

/** Notes an activation, because a walk that began before it may not know its license. */
export function noteActivation(
  settings: DodoSettings,
  licenseKey: string,
  outcome: Outcome<ActivatedLicense>,
): void {
  const { idsByKey, unanswered } = walkOf(settings)
  const id = outcome.kind === 'answer' ? outcome.value.license.id : null
  if (id !== null) idsByKey.set(licenseKey, id)
  if (id !== null || outcome.kind === 'refusal') return
  const [oldest] = unanswered
  if (unanswered.size >= mostUnanswered && oldest !== undefined) unanswered.delete(oldest)
  unanswered.add(licenseKey)
}

/** Reads a license that was seen on a page before; `null` if there was none, or if it has another license key now. */
async function readSeen(
  settings: DodoSettings,
  apiKey: string,
  licenseKey: string,
  { idsByKey }: SharedWalk,
  call: ServiceCall | undefined,
): Promise<FoundLicense | Unavailable | null> {
  const id = idsByKey.get(licenseKey)
  if (id === undefined) return null
  const reply = await getLicense(settings, apiKey, id, call)
  if (reply.kind !== 'reply') return reply
  const parsed = licenseKeySchema.safeParse(reply.body)
  if (reply.status === 200 && parsed.success && isSeen(parsed.data, id, licenseKey, settings)) {
    return { kind: 'license', license: factsOf(parsed.data, settings), serverDateMs: reply.serverDateMs }
  }
  idsByKey.delete(licenseKey)
  return null
}

/** Its product was known when it was seen, in case the service doesn't report it here. */
function isSeen(
  { id, key, product_id }: DodoLicenseKey,
  seenId: string,
  licenseKey: string,
  { productIds }: DodoSettings,
): boolean {
  return id === seenId && key === licenseKey && (product_id == null || productIds.includes(product_id))
}

async function walkFor(
  settings: DodoSettings,
  apiKey: string,
  licenseKey: string,
  { idsByKey }: SharedWalk,
  walk: OwnWalk,
  call: ServiceCall | undefined,
): Promise<FoundLicense | Refusal | Unavailable> {
  let last: Reply | null = null
  for (const productId of settings.productIds) {
    for (let page = 0; page < maxPages; page += 1) {
      walk.nextPage()
      const reply = await getPage(settings, apiKey, '/license_keys', { product_id: productId }, page, call)
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
        const { serverDateMs } = reply.reply
        return { kind: 'license', license: factsOf(found, settings), serverDateMs }
      }
      last = reply.reply
      if (reply.items.length === 0) break
      if (page === maxPages - 1) {
        return walk.end(unavailable('unexpected-answer', { detail: 'too many licenses' }), true)
      }
    }
  }
  return last === null
    ? walk.end(unavailable('misconfigured'), true)
    : walk.end(refusal('unknown-license', last), true)
}

/** Finds a license, and returns its facts. */
export async function showLicenseByKey(
  ...request: Parameters<typeof findLicense>
): Promise<Outcome<LicenseFacts>> {
  const found = await findLicense(...request)
  return found.kind === 'license' ? answer(found.license, found.serverDateMs) : found
}

/** Finds a license, and lists its instances. */
export async function listActivations(
  ...request: Parameters<typeof findLicense>
): Promise<Outcome<ActivationList>> {
  const found = await findLicense(...request)
  if (found.kind !== 'license') return found
  const [settings, apiKey, , call] = request
  return listInstances(settings, apiKey, found.license, call)
}

async function listInstances(
  settings: DodoSettings,
  apiKey: string,
  { id, seatsInUse }: LicenseFacts,
  call: ServiceCall | undefined,
): Promise<Outcome<ActivationList>> {
  const licenseId = id ?? ''
  const activations = new Map<string, Activation>()
  let isWhole = true
  for (let page = 0; page < maxPages; page += 1) {
    const query = { license_key_id: licenseId }
    const reply = await getPage(settings, apiKey, '/license_key_instances', query, page, call)
    if (reply.kind !== 'page') return reply
    for (const item of reply.items) {
      const parsed = instanceSchema.safeParse(item)
      // If the service ignored the filter, this would be another customer's device.
      if (!parsed.success || (parsed.data.license_key_id ?? licenseId) !== licenseId) isWhole = false
      else activations.set(parsed.data.id, instanceOf(parsed.data))
    }
    if (reply.items.length === 0) {
      const { serverDateMs } = reply.reply
      // The secret that found the license sees its instances, too.
      return checkedList({ activations: [...activations.values()], isWhole, serverDateMs }, seatsInUse, null)
    }
  }
  return answer({ activations: [...activations.values()], isWhole: false }, null)
}

/**
 * Validates an activation with the vendor's API key. Unlike the public *validate*, it also returns the device, the
 * license's end, and why a license is inactive.
 */
export async function validateInstance(
  settings: DodoSettings,
  apiKey: string,
  { licenseKey, activationId }: ActivationRequest,
  call: ServiceCall | undefined,
): Promise<Outcome<ActivatedLicense>> {
  const shown = await get(
    settings,
    apiKey,
    `/license_key_instances/${encodeURIComponent(activationId)}`,
    call,
  )
  if (shown.kind !== 'reply') return shown
  if (isUnknown(shown)) return refusal('unknown-activation', shown)
  const instance = instanceSchema.safeParse(shown.body)
  const licenseId = instance.success ? instance.data.license_key_id : null
  if (shown.status !== 200 || !instance.success || licenseId == null || instance.data.id !== activationId)
    return undocumented(shown)
  const reply = await getLicense(settings, apiKey, licenseId, call)
  if (reply.kind !== 'reply') return reply
  const key = licenseKeySchema.safeParse(reply.body)
  if (reply.status !== 200 || !key.success || key.data.id !== licenseId) return undocumented(reply)
  // The device belongs to another license.
  if (key.data.key !== licenseKey) return refusal('unknown-activation', reply)
  const license = factsOf(key.data, settings)
  if (!settings.productIds.includes(license.product ?? '')) return refusal('wrong-product', reply, license)
  const { status } = license
  if (status !== null && status !== 'active') return refusal(status, reply, license)
  return answer({ license, activation: instanceOf(instance.data) }, reply.serverDateMs)
}

/** What the vendor's API reports about a license. */
export interface ShownLicense {
  readonly facts: LicenseFacts
  /** Whether its status is new to this adapter. */
  readonly isNewStatus: boolean
}

/**
 * Shows a license with the vendor's API key, because the response to *activate* contains neither its end nor its seats.
 *
 * @returns `null` if it can't be read.
 */
export async function showLicenseById(
  settings: DodoSettings,
  apiKey: string,
  licenseId: string | null | undefined,
  call: ServiceCall | undefined,
): Promise<ShownLicense | null> {
  if (licenseId == null) return null
  const reply = await getLicense(settings, apiKey, licenseId, call)
  const parsed = reply.kind === 'reply' ? licenseKeySchema.safeParse(reply.body) : null
  if (parsed?.success !== true || parsed.data.id !== licenseId) return null
  const { status } = parsed.data
  return {
    facts: factsOf(parsed.data, settings),
    isNewStatus: status != null && statuses[status] === undefined,
  }
}

/** Whether the vendor's API reports that the item doesn't exist. */
function isUnknown({ status, body }: Reply): boolean {
  return status === 404 && errorSchema.safeParse(body).success
}

const statuses: Readonly<Record<string, LicenseStatus>> = {
  active: 'active',
  expired: 'expired',
  disabled: 'suspended',
}

function factsOf(key: DodoLicenseKey, { isTest }: DodoSettings): LicenseFacts {
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
