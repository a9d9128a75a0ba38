import type { LicensingSession } from '../licensing-session.ts'
import { isIdempotent } from '../ports/service-port.ts'
import type { ProblemCause } from '../problem.ts'
import { isStillLate, type OrphanSearch } from '../record/outbox-entries.ts'
import type { LicensedReading } from '../record/reading.ts'
import { isSameId } from '../record/same-id.ts'
import { askService } from '../service/ask-service.ts'
import { composeKeyName, parseKeyName } from '../service/key-name.ts'
import { type Listing, listKeys, provesAbsence } from '../service/own-keys.ts'
import { type Failure, readLicense } from '../service/read-answer.ts'
import { reasonOfRefusal } from '../service/refusal.ts'
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

/**
 * Brings the pending activation to its end: adopts a key this device already has, and takes a seat only when
 * there is none. Whatever is lost on the way is found again by listing, at once or at the next try.
 *
 * @param isUserRequest whether a person asked just now. By itself Latchkey never sends a second activation that
 * it cannot first prove to be needed.
 */
export async function pursueActivation(
  session: LicensingSession,
  licenseId: string,
  isUserRequest: boolean,
): Promise<ActivationOutcome> {
  const lateUntilMs = lateUntilOf(session)
  const isStale = !isUserRequest && isForgotten(session)
  const listing = await listKeys(session, licenseId)
  switch (listing.kind) {
    case 'undecided':
      return failed(listing.cause)
    case 'refused': {
      const isUnsupported = listing.isUnsupported === true
      const known = isUnsupported ? anyKeyOnRecord(session) : keyOnRecord(session, licenseId)
      const adoption = await adopt(session, licenseId, known === null ? [] : [known], unlisted(lateUntilMs))
      if (adoption.outcome !== null) return adoption.outcome
      if (adoption.refusal !== null) return failed(adoption.refusal)
      if (lateUntilMs !== null && !isUserRequest) {
        return failed({ ...listing.cause, code: 'activation-unconfirmed' })
      }
      return isStale ? failed({ code: 'activation-paused' }) : takeSeat(session, licenseId, listing)
    }
    case 'keys': {
      const candidates = adoptable(session, licenseId, listing)
      const leaving = leavingReleases(session, licenseId, candidates)
      if (leaving.length > 0) {
        const cause = isUserRequest ? await freeForCertain(session, leaving) : unconfirmed
        return cause === null ? pursueActivation(session, licenseId, isUserRequest) : failed(cause)
      }
      const adoption = await adopt(session, licenseId, candidates, listed(session, lateUntilMs))
      if (adoption.outcome !== null) return adoption.outcome
      const { refusal } = adoption
      if (refusal !== null && !(isUserRequest && mayReplace(session, licenseId))) return failed(refusal)
      return isStale ? failed({ code: 'activation-paused' }) : takeSeat(session, licenseId, listing)
    }
  }
}

const unconfirmed: ProblemCause = { code: 'activation-unconfirmed' }

/** What has been pending for longer than this may no longer be wanted: a person is asked before it takes a seat. */
const longestPendingMs = 24 * 60 * 60 * 1000

function isForgotten(session: LicensingSession): boolean {
  const { pending } = session.vault()
  return pending !== null && session.time.nowMs() - pending.requestedAtMs > longestPendingMs
}

/** What listing brought that an activation may follow. */
type ListingBefore = Exclude<Listing, { kind: 'undecided' }>

async function takeSeat(
  session: LicensingSession,
  licenseId: string,
  before: ListingBefore,
): Promise<ActivationOutcome> {
  const earlier = lateUntilOf(session)
  const { fingerprint, label } = await session.identity()
  await session.record({ type: 'activation-sent' })
  const sent = await sendActivation(session, licenseId, label, fingerprint)
  if (!sent.ok) return afterFailedRequest(session, licenseId, sent.failure, before, earlier)

  if (before.kind === 'refused' && before.isUnsupported === true) {
    return keep(session, licenseId, sent.keyId, sent.reading, [], null)
  }
  if (before.kind === 'refused') {
    // The list may be readable tomorrow: then an older key of this device is found.
    const look = unlisted(earlier) ?? (before.isLasting ? null : { lateUntilMs: null })
    const outcome = await keep(session, licenseId, sent.keyId, sent.reading, [], look)
    return outcome.ok ? { ok: true, cause: { code: 'adoption-unavailable' } } : outcome
  }
  if (isIdempotent(session.ports.commerce))
    return keep(session, licenseId, sent.keyId, sent.reading, [], null)
  // Another process of this device may have done the same: one more look, and all of them keep the oldest key.
  return keep(
    session,
    licenseId,
    sent.keyId,
    sent.reading,
    [],
    listed(session, earlier) ?? { lateUntilMs: null },
  )
}

type SentActivation =
  | { readonly ok: true; readonly keyId: string; readonly reading: LicensedReading }
  | { readonly ok: false; readonly failure: Failure }

async function sendActivation(
  session: LicensingSession,
  licenseId: string,
  label: string,
  fingerprint: string,
): Promise<SentActivation> {
  const { commerce, clock } = session.ports
  const name = composeKeyName(label, fingerprint)
  const asked = await askService(
    session,
    () => commerce.activate(licenseId, name, { fingerprint, label }),
    ({ license, key }) => {
      // About another license or device, it does not tell whether a seat was taken here.
      const named = parseKeyName(key.name).fingerprint
      return isSameId(license.id, licenseId) && (named === null || named === fingerprint)
    },
  )
  if (asked.kind === 'failure') return { ok: false, failure: asked.failure }
  const { answer } = asked
  return { ok: true, keyId: answer.value.key.id, reading: readLicense(answer, clock.now()) }
}

/** A lost answer may have left a key, and a refusal does not say why: the list of keys knows more. */
async function afterFailedRequest(
  session: LicensingSession,
  licenseId: string,
  failure: Failure,
  before: ListingBefore,
  earlier: number | null,
): Promise<ActivationOutcome> {
  if (failure.kind === 'refused') {
    // The reason is documented: there is nothing to find out. An earlier request may still be on its way.
    const late = before.kind === 'keys' ? listed(session, earlier) : unlisted(earlier)
    return refuse(session, failure.cause, late, failure.leftoverKeyId)
  }
  if (failure.kind === 'unreachable' && failure.hasNotActed === true) {
    await session.record({ type: 'activation-not-sent', lateUntilMs: earlier })
    return failed(failure.cause)
  }
  const refusal = refusalOf(failure, before)
  // A computer may have slept in between: what is late is late from now on.
  if (refusal === null) await session.record({ type: 'activation-unanswered' })
  // A host that listed the keys a moment ago and refuses everything since may have acted before it fell silent.
  const isCertain = refusal?.isFromService === true && before.kind === 'refused'
  const unseen = unlisted(isCertain ? earlier : lateUntilOf(session))
  if (before.kind === 'refused') {
    // Nothing tells whether a seat was taken: what is repeated from here on is for a person to decide.
    return refusal === null
      ? failed({ ...failure.cause, code: 'activation-unconfirmed' })
      : refuse(session, refusal.cause, unseen)
  }

  const after = await listKeys(session, licenseId)
  if (after.kind === 'keys') {
    // What was refused is not on its way any more; what was sent before it may be.
    const late = listed(session, refusal === null ? lateUntilOf(session) : earlier)
    const candidates = adoptable(session, licenseId, after)
    const adoption = await adopt(session, licenseId, candidates, late)
    if (adoption.outcome !== null) return adoption.outcome
    const others = after.keys.filter(({ id }) => !candidates.includes(id))
    const reason = await reasonOfRefusal(session, licenseId, adoption.refusal === null ? after.keys : others)
    // A key of this device that is listed and refused may hold a seat all the same.
    const look = adoption.refusal === null ? late : (late ?? { lateUntilMs: null })
    if (reason !== null) return refuse(session, reason, look)
    if (adoption.refusal !== null) return failed(adoption.refusal)
    if (refusal === null) return failed(failure.cause)
    const isProven = (await provesAbsence(session, licenseId, after)).found === 'gone'
    return refuse(session, refusal.cause, isProven ? late : unlisted(lateUntilOf(session)))
  }
  // The keys were listed a moment ago, and one of them may tell what the answer did not.
  const reason = await reasonOfRefusal(session, licenseId, before.keys)
  if (reason !== null) return refuse(session, reason, unseen)
  return refusal === null
    ? failed({ ...after.cause, code: 'activation-unconfirmed' })
    : refuse(session, refusal.cause, unseen)
}

/** An activation that was refused, as far as its own answer says. */
interface Refusal {
  readonly cause: ProblemCause
  /** Whether the service itself refused, and so took no seat. Others may speak after the service acted. */
  readonly isFromService: boolean
}

/** `null` when the activation was not refused: nobody knows what became of it. */
function refusalOf(failure: Exclude<Failure, { kind: 'refused' }>, before: ListingBefore): Refusal | null {
  const { cause } = failure
  switch (failure.kind) {
    case 'not-found':
    case 'rejected': {
      // The same host does not list the keys of this license either: most likely the license key is mistyped.
      const isUnknown = before.kind === 'refused' && before.mayBeUnknown
      const isPage = failure.kind === 'not-found' && !failure.isFromService
      if (isPage && !isUnknown) return null
      const mayBeMistyped = isUnknown || (failure.kind === 'not-found' && hasNoKeys(before))
      return {
        cause: { ...cause, code: mayBeMistyped ? 'license-not-found' : 'activation-refused' },
        isFromService: true,
      }
    }
    case 'unauthorized':
      // It may be a proxy's, spoken after the service acted.
      return { cause, isFromService: false }
    case 'unreachable':
      return null
  }
}

function hasNoKeys(listing: ListingBefore): boolean {
  return listing.kind !== 'keys' || listing.keys.length === 0
}

/** Until when a request of unknown outcome may still take a seat for the pending activation. */
function lateUntilOf(session: LicensingSession): number | null {
  return session.vault().pending?.lateUntilMs ?? null
}

/** What is left to look for when the keys were listed after all was said and done. */
function listed(session: LicensingSession, lateUntilMs: number | null): OrphanSearch {
  return isStillLate(lateUntilMs, session.time.nowMs()) ? { lateUntilMs } : null
}

/** What is left to look for when the keys could not be listed. */
function unlisted(lateUntilMs: number | null): OrphanSearch {
  return lateUntilMs === null ? null : { lateUntilMs }
}

/** The service said no: nothing is pending any more. */
async function refuse(
  session: LicensingSession,
  cause: ProblemCause,
  orphanSearch: OrphanSearch,
  unusedKeyId: string | null = null,
): Promise<ActivationOutcome> {
  await session.record({ type: 'activation-refused', unusedKeyId, orphanSearch })
  return failed(cause)
}
