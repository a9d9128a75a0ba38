import type { ProblemCode } from '../../../shared/problem.ts'
import type { LicensingSession } from '../../licensing-session.ts'
import { isIdempotent } from '../../ports/service-port.ts'
import type { ProblemCause } from '../../problem.ts'
import type { SeatEvidence } from '../../record/licensing-event.ts'
import type { LicensedReading } from '../../record/reading.ts'
import { isSameId } from '../../record/same-id.ts'
import { askService } from '../../service/ask-service.ts'
import { composeKeyName, parseKeyName } from '../../service/key-name.ts'
import { type Listing, listKeys, provesAbsence } from '../../service/own-keys.ts'
import { type Failure, readLicense } from '../../service/read-answer.ts'
import type { RefusedFailure } from '../../service/read-service-failure.ts'
import { reasonOfRefusal } from '../../service/refusal.ts'
import {
  evidenceAfterSuccess,
  evidenceUnseen,
  type ListingBefore,
  readIn,
  unread,
} from '../../service/seat-evidence.ts'
import { hasTakenNoSeat, readSeatsInUse } from '../../service/seats-in-use.ts'
import {
  type ActivationOutcome,
  adopt,
  adoptable,
  failed,
  freeForCertain,
  isAnyLate,
  keep,
  keyOnRecord,
  leavingReleases,
  mayReplace,
  unlistedKeys,
} from './adoption.ts'
import { mayPass, refusalOf } from './refused-activation.ts'
import { mayReplaceUnlisted } from './replace-unlisted.ts'

/**
 * Completes the pending activation: adopts this device's existing key, or takes a seat if there is none. If an answer
 * is lost, the key is found again by listing, at once or at the next attempt.
 *
 * @param isUserRequest whether the user asked for it just now. Without a user, Latchkey sends a second activation only
 * if it can prove that one is needed.
 */
export async function pursueActivation(
  session: LicensingSession,
  licenseId: string,
  isUserRequest: boolean,
): Promise<ActivationOutcome> {
  const { pending } = session.vault()
  // The outcome of an earlier request is unknown.
  const sent = pending !== null && pending.lateUntilMs !== null ? pending : null
  const isStale = !isUserRequest && isForgotten(session)
  const listing = await listKeys(session, licenseId)
  switch (listing.kind) {
    case 'undecided':
      return failed(listing.cause)
    case 'refused': {
      const known = keyOnRecord(session, licenseId)
      const recorded = known === null ? [] : [known]
      const candidates = listing.isUnsupported ? await unlistedKeys(session, licenseId) : recorded
      const { outcome, refusal } = await adopt(session, licenseId, candidates, unread)
      if (outcome !== null) return outcome.ok ? outcome : unsent(session, outcome.cause, listing)
      if (refusal !== null && !(isUserRequest && mayReplaceUnlisted(session, licenseId, listing)))
        return unsent(session, refusal, listing)
      if (sent !== null && !isUserRequest) {
        const tookNone = await hasTakenNoSeat(session, sent)
        if (!tookNone) return failed({ ...listing.cause, code: openCode(listing) })
        await session.record({ type: 'activation-not-sent', licenseId })
      }
      return isStale ? failed({ code: 'activation-paused' }) : takeSeat(session, licenseId, listing)
    }
    case 'keys': {
      const candidates = adoptable(session, licenseId, listing)
      const leaving = leavingReleases(session, licenseId, candidates)
      if (leaving.length > 0) {
        const cause =
          isUserRequest || !isAnyLate(session, leaving)
            ? await freeForCertain(session, leaving)
            : notConfirmed
        return cause === null ? pursueActivation(session, licenseId, isUserRequest) : failed(cause)
      }
      const adoption = await adopt(session, licenseId, candidates, readIn(listing))
      if (adoption.outcome !== null) return adoption.outcome
      const { refusal } = adoption
      if (refusal !== null && !(isUserRequest && mayReplace(session, licenseId, listing)))
        return failed(refusal)
      return isStale ? failed({ code: 'activation-paused' }) : takeSeat(session, licenseId, listing)
    }
  }
}

/** What to call an activation of unknown outcome. Without a list, only the user can find out. */
function openCode({ isUnsupported }: Extract<Listing, { kind: 'refused' }>): ProblemCode {
  return isUnsupported === true ? 'seat-may-be-taken' : 'activation-unconfirmed'
}

/** Why an activation has an unknown outcome. A mistake in the settings has its own code, because trying again won't help. */
function openCause(cause: ProblemCause, before: Extract<Listing, { kind: 'refused' }>): ProblemCause {
  return cause.code === 'misconfigured' ? cause : { ...cause, code: openCode(before) }
}

/**
 * The outcome if nothing was sent this time. If an earlier request may have taken a seat, that matters more: the screen
 * doesn't try again by itself then.
 */
function unsent(session: LicensingSession, cause: ProblemCause, before: ListingBefore): ActivationOutcome {
  const { pending } = session.vault()
  const isOpen = before.kind === 'refused' && pending !== null && pending.lateUntilMs !== null
  return failed(isOpen ? openCause(cause, before) : cause)
}

const notConfirmed: ProblemCause = { code: 'activation-unconfirmed' }

/** How long an activation may be pending before the user is asked again, since they may no longer want it. */
const longestPendingMs = 24 * 60 * 60 * 1000

function isForgotten(session: LicensingSession): boolean {
  const { pending } = session.vault()
  return pending !== null && session.time.nowMs() - pending.requestedAtMs > longestPendingMs
}

async function takeSeat(
  session: LicensingSession,
  licenseId: string,
  before: ListingBefore,
): Promise<ActivationOutcome> {
  const { fingerprint, label } = await session.identity()
  // A seat that is about to be freed would make the number meaningless.
  const isFreeing = session.vault().outbox.some((release) => isSameId(release.licenseId, licenseId))
  const isCounted = before.kind === 'refused' && !isFreeing
  const seats = isCounted ? await readSeatsInUse(session, licenseId) : null
  // Nothing was sent yet, so it stays certain that no seat was taken.
  if (seats?.kind === 'unreachable') return unsent(session, seats.cause, before)
  await session.record({ type: 'activation-sent', licenseId, seatsBefore: seats?.count })
  // Without the list, a seat that no record shows after a restart is lost.
  const mayLoseSeat = before.kind === 'refused' && !isIdempotent(session.ports.commerce)
  const unsaved = mayLoseSeat ? session.whyUnsaved('activation-sent') : null
  if (unsaved !== null) {
    await session.record({ type: 'activation-not-sent', licenseId })
    return failed(unsaved)
  }
  const seenAtMs = session.time.nowMs()
  const sent = await sendActivation(session, licenseId, label, fingerprint)
  if (!sent.ok) return afterFailedRequest(session, licenseId, sent.failure, before)
  const { keyId, reading } = sent
  const key = { licenseId, keyId, seenAtMs }
  const outcome = await keep(session, key, reading, [], evidenceAfterSuccess(session, before))
  const hasList = before.kind === 'keys' || before.isUnsupported === true
  return hasList || !outcome.ok ? outcome : { ok: true, cause: { code: 'adoption-unavailable' } }
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
      // An answer about another license or device doesn't prove that a seat was taken here.
      const named = parseKeyName(key.name).fingerprint
      return isSameId(license.id, licenseId) && (named === null || named === fingerprint)
    },
  )
  if (asked.kind === 'failure') return { ok: false, failure: asked.failure }
  const { answer } = asked
  return { ok: true, keyId: answer.value.key.id, reading: readLicense(answer, clock.now()) }
}

/** After a failed request, lists the keys: a lost answer may have left a key, and a refusal has no stated reason. */
async function afterFailedRequest(
  session: LicensingSession,
  licenseId: string,
  failure: Failure,
  before: ListingBefore,
): Promise<ActivationOutcome> {
  if (failure.kind === 'refused') return afterDocumentedRefusal(session, licenseId, failure, before)
  // What the service itself refuses isn't tried again, but a proxy may let the request through later.
  const isRefused = failure.kind !== 'unreachable' && failure.isFromService
  // A load balancer may have sent the request twice, and a limit stopped the second copy. The list shows the first one.
  const isLimited = before.kind === 'keys' && failure.cause.code === 'rate-limited'
  if (failure.hasNotActed === true && !isRefused && !isLimited) {
    await session.record({ type: 'activation-not-sent', licenseId })
    return unsent(session, failure.cause, before)
  }
  const refusal = refusalOf(failure, before)
  // The computer may have slept during the request, so the waiting time starts now.
  if (refusal === null) await session.record({ type: 'activation-unanswered', licenseId })
  const unseen = evidenceUnseen(refusal, before)
  if (before.kind === 'refused') {
    // Nothing proves whether a seat was taken, so the user decides whether to try again.
    if (refusal === null) return failed(openCause(failure.cause, before))
    if (mayHaveEarlierSeat(session)) {
      // The service states no reason. If an earlier answer was lost, its seat may be the one that is missing now.
      if (refusal.cause.code === 'activation-refused')
        return refuseLast(session, licenseId, { ...refusal.cause, code: 'seat-may-be-taken' })
      if (before.isUnsupported === true) return refuseLast(session, licenseId, refusal.cause)
    }
    return refuse(session, licenseId, refusal.cause, unseen)
  }

  const after = await listKeys(session, licenseId)
  if (after.kind === 'keys') {
    // A refused request won't arrive later, but one sent before it may.
    const seen: SeatEvidence = { ...readIn(after), isAnswered: refusal !== null }
    const candidates = adoptable(session, licenseId, after)
    const adoption = await adopt(session, licenseId, candidates, seen)
    if (adoption.outcome !== null) return adoption.outcome
    const others = after.keys.filter(({ id }) => !candidates.includes(id))
    const reason = await reasonOfRefusal(session, licenseId, adoption.refusal === null ? after.keys : others)
    // A listed key of this device may hold a seat even if the service refuses to validate it.
    if (reason !== null) {
      return refuse(session, licenseId, reason, { ...seen, mustReadAgain: adoption.refusal !== null })
    }
    if (adoption.refusal !== null) return failed(adoption.refusal)
    if (refusal === null) return failed(failure.cause)
    const isProven = (await provesAbsence(session, licenseId, after)).found === 'gone'
    return refuse(session, licenseId, refusal.cause, isProven ? seen : unread)
  }
  // The keys were just listed, and one of them may show the reason that the answer didn't state.
  const reason = await reasonOfRefusal(session, licenseId, before.keys)
  if (reason !== null) return refuse(session, licenseId, reason, unseen)
  return refusal === null
    ? failed({ ...after.cause, code: 'activation-unconfirmed' })
    : refuse(session, licenseId, refusal.cause, unseen)
}

/**
 * After a refusal whose reason the service documents. A load balancer may have sent the request twice: then the first
 * copy took the last seat, and the second one was refused.
 */
async function afterDocumentedRefusal(
  session: LicensingSession,
  licenseId: string,
  { reason, cause, leftoverKeyId }: RefusedFailure,
  before: ListingBefore,
): Promise<ActivationOutcome> {
  const isUnlisted = before.kind === 'refused' && before.isUnsupported === true
  if (isUnlisted && mayHaveEarlierSeat(session)) {
    // Without a list, the last seat may be the one that an earlier request took for this device. Keep the activation, so
    // that the user can finish it without typing once a seat is free.
    if (reason === 'no-seat-left') return failed(cause)
    if (mayPass(reason)) return refuseLast(session, licenseId, cause)
  }
  const mayList = before.kind === 'keys' && leftoverKeyId === null
  const after = mayList ? await listKeys(session, licenseId) : null
  if (after?.kind !== 'keys') {
    // An earlier request may still arrive.
    const known = before.kind === 'keys' ? readIn(before) : unread
    return refuse(session, licenseId, cause, { ...known, isAnswered: true }, leftoverKeyId)
  }
  const seen: SeatEvidence = { ...readIn(after), isAnswered: true }
  const { outcome, refusal } = await adopt(session, licenseId, adoptable(session, licenseId, after), seen)
  return outcome ?? refuse(session, licenseId, cause, { ...seen, mustReadAgain: refusal !== null })
}

/** Whether a request before the one just answered may have taken a seat. */
function mayHaveEarlierSeat(session: LicensingSession): boolean {
  return session.vault().pending?.earlierUntilMs !== undefined
}

/**
 * Records that the last request took no seat. The activation stays pending, because an earlier request may have taken one:
 * only the user can finish the activation or give it up.
 */
async function refuseLast(
  session: LicensingSession,
  licenseId: string,
  cause: ProblemCause,
): Promise<ActivationOutcome> {
  await session.record({ type: 'activation-not-sent', licenseId })
  return failed(cause)
}

/** Records the refusal: nothing is pending anymore. */
async function refuse(
  session: LicensingSession,
  licenseId: string,
  cause: ProblemCause,
  evidence: SeatEvidence,
  unusedKeyId: string | null = null,
): Promise<ActivationOutcome> {
  await session.record({ type: 'activation-refused', licenseId, unusedKeyId, evidence })
  return failed(cause)
}
