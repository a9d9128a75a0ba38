import {
  type ActivationOutcome,
  adopt,
  adoptable,
  anyKeyOnRecord,
  failed,
  freeForCertain,
  keep,
  keyOnRecord,
  leavingReleases,
  mayReplace,
} from './adoption.ts'
import { isStillLate, type LookAgain } from './decide.ts'
import type { Desk } from './desk.ts'
import { composeKeyName, parseKeyName } from './key-name.ts'
import { type Listing, listKeys, provesAbsence } from './own-keys.ts'
import { isIdempotent } from './ports/service-port.ts'
import type { Trouble } from './problem.ts'
import { type Failure, type LicensedReading, readFailure, readLicense } from './read-answer.ts'
import { reasonOfRefusal } from './refusal.ts'
import { isSameId } from './same-id.ts'

/**
 * Brings the pending activation to its end: adopts a key this device already has, and takes a seat only when
 * there is none. Whatever is lost on the way is found again by listing, at once or at the next try.
 *
 * @param isUserRequest whether a person asked just now. By itself Latchkey never sends a second activation that
 * it cannot first prove to be needed.
 */
export async function pursueActivation(
  desk: Desk,
  licenseId: string,
  isUserRequest: boolean,
): Promise<ActivationOutcome> {
  const lateUntilMs = lateUntilOf(desk)
  const isStale = !isUserRequest && isForgotten(desk)
  const listing = await listKeys(desk, licenseId)
  switch (listing.kind) {
    case 'undecided':
      return failed(listing.trouble)
    case 'refused': {
      const isUnsupported = listing.isUnsupported === true
      const known = isUnsupported ? anyKeyOnRecord(desk) : keyOnRecord(desk, licenseId)
      const adoption = await adopt(desk, licenseId, known === null ? [] : [known], unlisted(lateUntilMs))
      if (adoption.outcome !== null) return adoption.outcome
      if (adoption.refusal !== null) return failed(adoption.refusal)
      if (lateUntilMs !== null && !isUserRequest) {
        return failed({ ...listing.trouble, code: 'activation-unconfirmed' })
      }
      return isStale ? failed({ code: 'activation-paused' }) : takeSeat(desk, licenseId, listing)
    }
    case 'keys': {
      const candidates = adoptable(desk, licenseId, listing)
      const leaving = leavingReleases(desk, licenseId, candidates)
      if (leaving.length > 0) {
        const trouble = isUserRequest ? await freeForCertain(desk, leaving) : unconfirmed
        return trouble === null ? pursueActivation(desk, licenseId, isUserRequest) : failed(trouble)
      }
      const adoption = await adopt(desk, licenseId, candidates, listed(desk, lateUntilMs))
      if (adoption.outcome !== null) return adoption.outcome
      const { refusal } = adoption
      if (refusal !== null && !(isUserRequest && mayReplace(desk, licenseId))) return failed(refusal)
      return isStale ? failed({ code: 'activation-paused' }) : takeSeat(desk, licenseId, listing)
    }
  }
}

const unconfirmed: Trouble = { code: 'activation-unconfirmed' }

/** What has been pending for longer than this may no longer be wanted: a person is asked before it takes a seat. */
const longestPendingMs = 24 * 60 * 60 * 1000

function isForgotten(desk: Desk): boolean {
  const { pending } = desk.vault()
  return pending !== null && desk.nowMs() - pending.requestedAtMs > longestPendingMs
}

/** What listing brought that an activation may follow. */
type ListingBefore = Exclude<Listing, { kind: 'undecided' }>

async function takeSeat(desk: Desk, licenseId: string, before: ListingBefore): Promise<ActivationOutcome> {
  const earlier = lateUntilOf(desk)
  const { fingerprint, label } = await desk.identity()
  await desk.record({ type: 'activation-sent' })
  const sent = await sendActivation(desk, licenseId, label, fingerprint)
  if (!sent.ok) return afterFailedRequest(desk, licenseId, sent.failure, before, earlier)

  if (before.kind === 'refused' && before.isUnsupported === true) {
    return keep(desk, licenseId, sent.keyId, sent.reading, [], null)
  }
  if (before.kind === 'refused') {
    // The list may be readable tomorrow: then an older key of this device is found.
    const look = unlisted(earlier) ?? (before.isLasting ? null : { lateUntilMs: null })
    const outcome = await keep(desk, licenseId, sent.keyId, sent.reading, [], look)
    return outcome.ok ? { ok: true, trouble: { code: 'adoption-unavailable' } } : outcome
  }
  if (isIdempotent(desk.ports.commerce)) return keep(desk, licenseId, sent.keyId, sent.reading, [], null)
  // Another process of this device may have done the same: one more look, and all of them keep the oldest key.
  return keep(desk, licenseId, sent.keyId, sent.reading, [], listed(desk, earlier) ?? { lateUntilMs: null })
}

type SentActivation =
  | { readonly ok: true; readonly keyId: string; readonly reading: LicensedReading }
  | { readonly ok: false; readonly failure: Failure }

async function sendActivation(
  desk: Desk,
  licenseId: string,
  label: string,
  fingerprint: string,
): Promise<SentActivation> {
  try {
    const name = composeKeyName(label, fingerprint)
    const answer = await desk.ports.commerce.activate(licenseId, name, { fingerprint, label })
    const { license, key } = answer.value
    const named = parseKeyName(key.name).fingerprint
    // About another license or device: whether a seat was taken here is not known.
    if (!isSameId(license.id, licenseId) || (named !== null && named !== fingerprint)) {
      return { ok: false, failure: { kind: 'unreachable', trouble: { code: 'unexpected-answer' } } }
    }
    desk.answered(answer.serverDateMs)
    return { ok: true, keyId: key.id, reading: readLicense(answer, desk.ports.clock.now()) }
  } catch (error) {
    return { ok: false, failure: readFailure(error) }
  }
}

/** A lost answer may have left a key, and a refusal does not say why: the list of keys knows more. */
async function afterFailedRequest(
  desk: Desk,
  licenseId: string,
  failure: Failure,
  before: ListingBefore,
  earlier: number | null,
): Promise<ActivationOutcome> {
  if (failure.kind === 'refused') {
    // The reason is documented: there is nothing to find out. An earlier request may still be on its way.
    const late = before.kind === 'keys' ? listed(desk, earlier) : unlisted(earlier)
    return refuse(desk, failure.trouble, late, failure.leftoverKeyId)
  }
  if (failure.kind === 'unreachable' && failure.hasNotActed === true) {
    await desk.record({ type: 'activation-not-sent', lateUntilMs: earlier })
    return failed(failure.trouble)
  }
  const refusal = refusalOf(failure, before)
  // A computer may have slept in between: what is late is late from now on.
  if (refusal === null) await desk.record({ type: 'activation-unanswered' })
  // A host that listed the keys a moment ago and refuses everything since may have acted before it fell silent.
  const isCertain = refusal?.isFromService === true && before.kind === 'refused'
  const unseen = unlisted(isCertain ? earlier : lateUntilOf(desk))
  if (before.kind === 'refused') {
    // Nothing tells whether a seat was taken: what is repeated from here on is for a person to decide.
    return refusal === null
      ? failed({ ...failure.trouble, code: 'activation-unconfirmed' })
      : refuse(desk, refusal.trouble, unseen)
  }

  const after = await listKeys(desk, licenseId)
  if (after.kind === 'keys') {
    // What was refused is not on its way any more; what was sent before it may be.
    const late = listed(desk, refusal === null ? lateUntilOf(desk) : earlier)
    const candidates = adoptable(desk, licenseId, after)
    const adoption = await adopt(desk, licenseId, candidates, late)
    if (adoption.outcome !== null) return adoption.outcome
    const others = after.keys.filter(({ id }) => !candidates.includes(id))
    const reason = await reasonOfRefusal(desk, licenseId, adoption.refusal === null ? after.keys : others)
    // A key of this device that is listed and refused may hold a seat all the same.
    const look = adoption.refusal === null ? late : (late ?? { lateUntilMs: null })
    if (reason !== null) return refuse(desk, reason, look)
    if (adoption.refusal !== null) return failed(adoption.refusal)
    if (refusal === null) return failed(failure.trouble)
    const isProven = (await provesAbsence(desk, licenseId, after)).found === 'gone'
    return refuse(desk, refusal.trouble, isProven ? late : unlisted(lateUntilOf(desk)))
  }
  // The keys were listed a moment ago, and one of them may tell what the answer did not.
  const reason = await reasonOfRefusal(desk, licenseId, before.keys)
  if (reason !== null) return refuse(desk, reason, unseen)
  return refusal === null
    ? failed({ ...after.trouble, code: 'activation-unconfirmed' })
    : refuse(desk, refusal.trouble, unseen)
}

/** An activation that was refused, as far as its own answer says. */
interface Refusal {
  readonly trouble: Trouble
  /** Whether the service itself refused, and so took no seat. Others may speak after the service acted. */
  readonly isFromService: boolean
}

/** `null` when the activation was not refused: nobody knows what became of it. */
function refusalOf(failure: Exclude<Failure, { kind: 'refused' }>, before: ListingBefore): Refusal | null {
  const { trouble } = failure
  switch (failure.kind) {
    case 'not-found':
    case 'rejected': {
      // The same host does not list the keys of this license either: most likely the license key is mistyped.
      const isUnknown = before.kind === 'refused' && before.mayBeUnknown
      const isPage = failure.kind === 'not-found' && !failure.isFromService
      if (isPage && !isUnknown) return null
      const mayBeMistyped = isUnknown || (failure.kind === 'not-found' && hasNoKeys(before))
      return {
        trouble: { ...trouble, code: mayBeMistyped ? 'license-not-found' : 'activation-refused' },
        isFromService: true,
      }
    }
    case 'unauthorized':
      // It may be a proxy's, spoken after the service acted.
      return { trouble, isFromService: false }
    case 'unreachable':
      return null
  }
}

function hasNoKeys(listing: ListingBefore): boolean {
  return listing.kind !== 'keys' || listing.keys.length === 0
}

/** Until when a request of unknown outcome may still take a seat for the pending activation. */
function lateUntilOf(desk: Desk): number | null {
  return desk.vault().pending?.lateUntilMs ?? null
}

/** What is left to look for when the keys were listed after all was said and done. */
function listed(desk: Desk, lateUntilMs: number | null): LookAgain {
  return isStillLate(lateUntilMs, desk.nowMs()) ? { lateUntilMs } : null
}

/** What is left to look for when the keys could not be listed. */
function unlisted(lateUntilMs: number | null): LookAgain {
  return lateUntilMs === null ? null : { lateUntilMs }
}

/** The service said no: nothing is pending any more. */
async function refuse(
  desk: Desk,
  trouble: Trouble,
  lookAgain: LookAgain,
  unusedKeyId: string | null = null,
): Promise<ActivationOutcome> {
  await desk.record({ type: 'activation-refused', unusedKeyId, lookAgain })
  return failed(trouble)
}
