import {
  type ActivatedLicense,
  type ActivateRequest,
  type Activation,
  type ActivationList,
  type ActivationRequest,
  type Answer,
  isOlderThan,
  type LicenseFacts,
  type LicenseRequest,
  type Outcome,
  type Refusal,
  type RefusalReason,
  readVerdict,
  type Unavailable,
  type UnavailableCause,
  type Verdict,
} from '../license-service.ts'
import { type OfflineRequest, type ReleaseTicket, releaseMarkOf } from './offline-texts.ts'

/** A service that can list activations. `Failed` is what it returns if nothing definite is known. */
export interface OfflineActivationService<Failed extends Unavailable = Unavailable> {
  listActivations(request: LicenseRequest): Promise<Answer<ActivationList> | Refusal | Failed>
  activate(request: ActivateRequest): Promise<Answer<ActivatedLicense> | Refusal | Failed>
  validate(request: ActivationRequest): Promise<Answer<ActivatedLicense> | Refusal | Failed>
  deactivate(request: ActivationRequest): Promise<Answer<null> | Refusal | Failed>
}

/** The outcome of an activation for a computer without internet. */
export type OfflineActivation<Failed extends Unavailable = Unavailable> =
  | { readonly kind: 'activated'; readonly license: LicenseFacts; readonly activationId: string }
  /** No seat was taken. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  /** The service refuses to list devices, so that each answer could take another seat. No seat was taken. */
  | { readonly kind: 'unlisted' }
  /**
   * Nothing definite is known. Asking again adopts a seat that was taken. If `mayHaveSeat` is true, a slow service may
   * still be taking one, which its list doesn't show yet: wait before asking again.
   */
  | { readonly kind: 'failed'; readonly outcome: Failed; readonly mayHaveSeat?: boolean }

/** Whether the service itself refused an activation. A proxy's page, or a denied access, says nothing about it. */
function isRefused({ cause, bodyIsJson }: Unavailable): boolean {
  return (cause === 'not-found' || cause === 'rejected') && bodyIsJson === true
}

/** Whether an activation may still take a seat. The service refuses a token or too many requests before it acts. */
function mayStillAct(taken: Unavailable): boolean {
  const { mayHaveActed, cause, httpStatus } = taken
  return mayHaveActed && !isRefused(taken) && cause !== 'access-denied' && httpStatus !== 429
}

function meansUnknown({ reason }: Refusal): boolean {
  return reason === 'unknown-activation' || reason === 'unknown-license'
}

/** How many activations are asked about to find out why a license takes no more devices. */
const mostAsked = 3

/**
 * Activates a device for its request, as an app with internet does: an activation that the device already has is
 * adopted, so that asking twice takes one seat. Of several, the oldest that the service accepts stays. One that the
 * request leaves is freed first. A license that isn't valid takes no seat. If another instance of a gateway activates the
 * device at the same moment, both keep the oldest activation.
 *
 * @param nowMs the current time, in milliseconds since the epoch.
 */
export async function activateForRequest<Failed extends Unavailable>(
  service: OfflineActivationService<Failed>,
  request: OfflineRequest,
  nowMs: number,
): Promise<OfflineActivation<Failed>> {
  const { licenseKey, deviceName, fingerprint, leaves = [] } = request
  const of = (activationId: string): ActivationRequest => ({ licenseKey, activationId, fingerprint })
  // Activations of this device that are listed and refused. Each may still hold a seat.
  const refusedIds: string[] = []
  // A list may still contain them for a while.
  const leftIds: string[] = []
  const isUnusable = (id: string): boolean => [...leftIds, ...refusedIds].some((one) => mayBeSame(one, id))

  /** Frees this device's other seats, now that it uses this one. */
  async function keepOnly(id: string, others: readonly string[]): Promise<void> {
    for (const other of others) if (!mayBeSame(other, id)) await service.deactivate(of(other))
  }

  /** Whether an activation is unknown. A service may list those that it no longer knows, or not know a new one yet. */
  const isUnknown = (validated: Outcome<ActivatedLicense>): boolean =>
    validated.kind === 'unavailable'
      ? isRefused(validated)
      : validated.kind === 'refusal' && meansUnknown(validated)

  /** Frees what the request leaves. @returns the outcome if that is uncertain; `null` when it is done. */
  async function free(activations: readonly Activation[]): Promise<Failed | null> {
    for (const { id, fingerprint: own } of activations) {
      if (leaves.length === 0 || own !== fingerprint || !leaves.includes(await releaseMarkOf(id))) continue
      const outcome = await service.deactivate(of(id))
      if (outcome.kind === 'unavailable') {
        if (!isRefused(outcome) || !isUnknown(await service.validate(of(id)))) return outcome
        // Two wrong refusals would leave it a seat, so it is freed again after the activation.
        refusedIds.push(id)
      }
      leftIds.push(id)
    }
    return null
  }

  /** Uses the oldest activation that the service accepts, and frees the others. @returns `null` if there is none. */
  async function adopt(activations: readonly Activation[]): Promise<OfflineActivation<Failed> | null> {
    const own = activations
      .filter(({ id, fingerprint: other }) => other === fingerprint && !isUnusable(id))
      .toSorted(byAge)
    for (const [index, { id }] of own.entries()) {
      const outcome = await service.validate(of(id))
      if (isUnknown(outcome)) refusedIds.push(id)
      else if (outcome.kind === 'refusal') return { kind: 'refused', reason: outcome.reason }
      else if (outcome.kind === 'unavailable') return { kind: 'failed', outcome }
      else {
        const { license } = outcome.value
        const verdict = readVerdict(license, nowMs)
        if (verdict !== 'valid') return { kind: 'refused', reason: verdict }
        await keepOnly(id, [...refusedIds, ...own.slice(index + 1).map((duplicate) => duplicate.id)])
        return { kind: 'activated', license, activationId: id }
      }
    }
    return null
  }

  async function reasonIn(activations: readonly Activation[]): Promise<RefusalReason | null> {
    for (const { id, fingerprint: other } of activations.slice(0, mostAsked)) {
      const outcome = await service.validate({ ...of(id), fingerprint: other ?? fingerprint })
      if (outcome.kind !== 'answer') continue
      const { license } = outcome.value
      const verdict: Verdict = readVerdict(license, nowMs)
      if (verdict !== 'valid') return verdict
      const { seatLimit, seatsInUse } = license
      const isFull = typeof seatLimit === 'number' && (seatsInUse ?? activations.length) >= seatLimit
      return isFull ? 'no-seat-left' : null
    }
    return null
  }

  /** Uses the new activation, or an older one that another instance has made meanwhile. */
  async function keepOldest({ license, activation }: ActivatedLicense): Promise<OfflineActivation<Failed>> {
    // Of one second, the other activation may be put first, so both instances must see it.
    if ((activation.createdAtMs ?? 0) % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 1000))
    const after = await service.listActivations({ licenseKey })
    if (after.kind !== 'answer' && before.kind !== 'answer') {
      const freed = await service.deactivate(of(activation.id))
      if (freed.kind === 'unavailable') return { kind: 'failed', outcome: freed }
      const isPassing = after.kind === 'unavailable' && !isRefused(after)
      return isPassing ? { kind: 'failed', outcome: after } : { kind: 'unlisted' }
    }
    const listed = after.kind === 'answer' ? after.value.activations : []
    const isNew = ({ id }: Activation): boolean => mayBeSame(id, activation.id)
    const own = { ...(listed.find(isNew) ?? activation), fingerprint }
    const older = listed.filter(
      (one) => !isNew(one) && one.fingerprint === fingerprint && byAge(one, own) < 0,
    )
    // The seat is taken, so nothing is asked that isn't needed: an older activation, or an end that wasn't told.
    const isOpen = older.length > 0 || license.endsAtMs === null
    const found = isOpen ? await adopt([...older, own]) : null
    if (found?.kind === 'refused') await service.deactivate(of(activation.id))
    if (found !== null) return found
    await keepOnly(activation.id, refusedIds)
    return { kind: 'activated', license, activationId: activation.id }
  }

  const before = await service.listActivations({ licenseKey })
  // Without a list, each request would take another seat, and no computer would find its own again. But a service may
  // refuse the list of a license that it doesn't know, or that has no devices yet.
  if (before.kind === 'unavailable' && !isRefused(before)) return { kind: 'failed', outcome: before }
  if (before.kind === 'answer') {
    const unfreed = await free(before.value.activations)
    if (unfreed !== null) return { kind: 'failed', outcome: unfreed }
    const adopted = await adopt(before.value.activations)
    if (adopted !== null) return adopted
  }

  const taken = await service.activate({ licenseKey, deviceName, fingerprint })
  if (taken.kind === 'answer') {
    const { license, activation } = taken.value
    const verdict = readVerdict(license, nowMs)
    if (verdict === 'valid') return keepOldest(taken.value)
    await service.deactivate(of(activation.id))
    return { kind: 'refused', reason: verdict }
  }
  if (taken.kind === 'refusal' && taken.leftoverActivationId !== null) {
    await service.deactivate(of(taken.leftoverActivationId))
    return { kind: 'refused', reason: taken.reason }
  }
  // The answer may have been lost after a seat was taken, and a refusal may not state its reason.
  const after = before.kind === 'answer' ? await service.listActivations({ licenseKey }) : before
  if (after.kind === 'answer') {
    const found = await adopt(after.value.activations)
    if (found !== null) return found
    const reason = await reasonIn(after.value.activations)
    if (reason !== null) return { kind: 'refused', reason }
  }
  if (taken.kind === 'refusal') return { kind: 'refused', reason: taken.reason }
  // A service without documented errors refuses an unknown license key like this.
  if (taken.cause === 'not-found' && taken.bodyIsJson === true)
    return { kind: 'refused', reason: 'unknown-license' }
  return { kind: 'failed', outcome: taken, mayHaveSeat: mayStillAct(taken) }
}

/** Oldest first, one without a date last. Of the same age, every instance puts the same one first. */
function byAge(one: Activation, other: Activation): number {
  const ageMs = ({ createdAtMs }: Activation): number => createdAtMs ?? Number.MAX_SAFE_INTEGER
  return ageMs(one) - ageMs(other) || (one.id.toLowerCase() < other.id.toLowerCase() ? -1 : 1)
}

/** What became of the seat of a release code. */
export type OfflineRelease<Failed extends Unavailable = Unavailable> =
  | { readonly kind: 'freed' }
  /** It was free before: the service's list proves it. */
  | { readonly kind: 'already-free' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  /** Nothing definite is known. */
  | { readonly kind: 'failed'; readonly outcome: Failed }

/** How a service without documented errors refuses to free what is gone. */
const refusals: readonly UnavailableCause[] = ['not-found', 'rejected']

/**
 * Frees the seat of a release code that was verified. A refusal alone doesn't prove that the seat is free: only a whole
 * list without the activation does, unless it is older than the refusal.
 */
export async function freeReleasedSeat<Failed extends Unavailable>(
  service: Pick<OfflineActivationService<Failed>, 'deactivate' | 'listActivations'>,
  { licenseKey, activationId, fingerprint }: ReleaseTicket,
): Promise<OfflineRelease<Failed>> {
  // A service may answer that it frees what is gone.
  const before = await service.listActivations({ licenseKey })
  const outcome = await service.deactivate({ licenseKey, activationId, fingerprint })
  const isGoneFrom = (listed: typeof before): boolean =>
    listed.kind === 'answer' &&
    listed.value.isWhole &&
    !isOlderThan(outcome.serverDateMs, listed.serverDateMs) &&
    !listed.value.activations.some(({ id }) => mayBeSame(id, activationId))
  if (outcome.kind === 'answer') return { kind: isGoneFrom(before) ? 'already-free' : 'freed' }
  // The service that has the seat may be the one that didn't answer, whatever another one lists.
  if (outcome.kind === 'unavailable' && !refusals.includes(outcome.cause)) return { kind: 'failed', outcome }
  const isGone = isGoneFrom(await service.listActivations({ licenseKey }))
  if (outcome.kind === 'refusal') {
    return isGone ? { kind: 'already-free' } : { kind: 'refused', reason: outcome.reason }
  }
  return isGone ? { kind: 'already-free' } : { kind: 'failed', outcome }
}

/** Whether two IDs may be the same activation's. A service may change the case of a UUID. */
function mayBeSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
