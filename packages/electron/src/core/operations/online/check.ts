import { isUncertain, type ProblemCode } from '../../../shared/problem.ts'
import type { LicensingSession } from '../../licensing-session.ts'
import { type ProblemCause, seatNotFreed } from '../../problem.ts'
import type { Reading } from '../../record/reading.ts'
import { isSameId } from '../../record/same-id.ts'
import { isOfOtherService, mayBeOurs } from '../../record/seats/service-of-record.ts'
import { lacksLease } from '../../record/stored-lease.ts'
import type { ActivationRecord, PendingActivation, Verdict } from '../../record/vault.ts'
import { refusalCode } from '../../service/refusal.ts'
import { readKey } from '../../service/validation.ts'
import { pursueActivation } from './activation.ts'
import type { ActivationOutcome } from './adoption.ts'
import { type KeyReading, readReplacement } from './keep-oldest.ts'
import { logMove } from './log-move.ts'
import { flushOutbox } from './outbox.ts'

/** The result of finishing what an earlier run left pending. */
export interface LeftOvers {
  /** Why it must be tried again; `null` if nothing is left. */
  readonly cause: ProblemCause | null
  /** The problem to show. */
  readonly problem: ProblemCause | null
  /** Whether a pending activation was finished, which also validated its key. */
  readonly isValidated: boolean
}

/** Queues an operation that takes or frees seats. */
type Settle = (operation: () => Promise<LeftOvers | null>) => Promise<LeftOvers | null>

/**
 * Runs one full check with the service: first finishes what is pending, then validates this device's key.
 * A normal launch has nothing pending and sends exactly one request.
 *
 * @param settle queues an operation that takes or frees seats.
 * @returns the cause of a problem; `null` if there is none.
 */
export async function checkEverything(
  session: LicensingSession,
  settle: Settle,
): Promise<ProblemCause | null> {
  await session.identity()
  const { pending, outbox } = session.vault()
  const isSettled = pending === null && outbox.length === 0
  const leftOvers = isSettled ? null : await settle(() => settleLeftOvers(session))
  // The user may click before the license in use has been validated.
  if (leftOvers !== null && isUncertain(leftOvers.problem)) session.setProblem(leftOvers.problem)
  const { activation } = session.vault()
  // Nothing else saves the mark during a trial. The days that passed must count after the clock is set back.
  const saving = activation === null ? session.saveTime() : null
  const isDue = activation !== null && leftOvers?.isValidated !== true
  const checked = isDue ? await checkActivation(session, activation, settle) : null
  if (leftOvers !== null || checked !== null) {
    session.setProblem(problemToShow(checked?.problem ?? null, leftOvers?.problem ?? null))
  }
  await saving
  return checked?.cause ?? leftOvers?.cause ?? null
}

/**
 * The status shows what the service refuses about the license in use. Only the problem shows what became of another license
 * key, or that another service needs another key. But a key of that service that may have taken a seat comes first:
 * asking for it again would take another one.
 */
function problemToShow(checked: ProblemCause | null, leftOver: ProblemCause | null): ProblemCause | null {
  if (checked === null || leftOver === null) return checked ?? leftOver
  return isUncertain(leftOver) || shownByStatus.has(checked.code) ? leftOver : checked
}

const shownByStatus: ReadonlySet<ProblemCode> = new Set([
  'license-expired',
  'license-suspended',
  'license-inactive',
  'moved-to-another-device',
])

/**
 * Finishes an interrupted activation and frees the seats that are waiting for it.
 *
 * @returns `null` if another process wrote a record that can't be opened now: it may need those seats.
 */
async function settleLeftOvers(session: LicensingSession): Promise<LeftOvers | null> {
  if (session.isSealedAway()) return null
  const { pending } = session.vault()
  const finished = pending === null ? null : await finishActivation(session, pending)
  const hasReleases = session.vault().outbox.length > 0
  const unsent = hasReleases ? await flushOutbox(session) : null
  if (hasReleases) session.journal.note('free a seat', unsent)

  const isSignedOut = session.vault().activation === null
  const waiting = unsent && isSignedOut ? seatNotFreed(unsent) : null
  const { problem } = session.published.current
  // The user was deactivated while a request was unanswered, and has to look for its seat.
  const lost: ProblemCause | null =
    isSignedOut && problem?.code === 'seat-may-be-taken' ? { code: problem.code } : null
  return {
    cause: (finished?.ok === false ? finished.cause : null) ?? unsent,
    problem: finished === null ? (lost ?? waiting) : (finished.cause ?? waiting),
    isValidated: finished?.ok === true,
  }
}

async function finishActivation(
  session: LicensingSession,
  { licenseId }: PendingActivation,
): Promise<ActivationOutcome> {
  const outcome = await pursueActivation(session, licenseId, false)
  session.journal.note('finish activation', outcome.cause)
  return outcome
}

/**
 * Grace continues for another service's activation. The service in use can't know it, so it isn't asked, unless the
 * record didn't name that other service.
 */
async function checkActivation(
  session: LicensingSession,
  activation: ActivationRecord,
  settle: Settle,
): ReturnType<typeof checkKey> {
  const checked = mayBeOurs(activation) ? await checkKey(session, activation, settle) : null
  const { activation: kept } = session.vault()
  const problem: ProblemCause = { code: 'license-of-other-service' }
  if (kept === null || !isOfOtherService(kept)) {
    // The commerce service may refuse what it doesn't know without ever proving it. Nothing changes but the request.
    const isUnknown = session.ports.commerce.name === undefined && checked?.problem?.code === 'unconfirmed'
    return isUnknown && kept?.isUnconfirmed ? { ...checked, problem } : checked
  }
  logMove(session, kept.service)
  session.journal.note('validate', problem)
  session.setUnreachable()
  void session.saveTime()
  // A proof may come from an outdated copy of the service's data, so the next check is soon. Later ones can wait.
  return { cause: isOfOtherService(activation) ? causeToRetry(checked) : problem, problem }
}

/** Why the service should be asked sooner than usual; `null` after an answer. */
function causeToRetry(checked: Awaited<ReturnType<typeof checkKey>>): ProblemCause | null {
  const cause = checked === null ? null : checked.cause
  return cause?.code === 'unconfirmed' ? null : cause
}

/** Asks about the key on record. If it is gone, another key of this device may have replaced it. */
async function readOwnKey(
  session: LicensingSession,
  checked: ActivationRecord,
  settle: Settle,
): Promise<KeyReading> {
  const { licenseId, keyId } = checked
  const reading = await readKey(session, licenseId, keyId)
  if (reading.kind !== 'revoked' || session.isSealedAway()) return { keyId, reading }
  // Nothing is proven if the app quits before the other key was looked for.
  const found: { last: KeyReading } = {
    last: { keyId, reading: { kind: 'undecided', cause: { code: 'unexpected' } } },
  }
  await settle(async () => {
    found.last = await readReplacement(session, checked, reading)
    return null
  })
  return found.last
}

/** @returns `null` when the answer is about a key that this device no longer has. */
async function checkKey(
  session: LicensingSession,
  checked: ActivationRecord,
  settle: Settle,
): Promise<Pick<LeftOvers, 'cause' | 'problem'> | null> {
  const { keyId, reading } = await readOwnKey(session, checked, settle)
  // The computer may sleep while the record is read below, and what the answer grants counts from now.
  if (reading.kind === 'licensed' && reading.verdict === 'valid') {
    await session.recordAnswer({ type: 'answered', keyId, reading })
  }
  // The user may have activated or signed out while the request was pending, here or in another process of this app.
  await session.refresh()
  const { activation } = session.vault()
  if (activation === null || !isSameId(activation.keyId, keyId)) return null

  if (reading.kind === 'unknown') await session.recordAnswer({ type: 'answered', keyId, reading })
  const verdict = verdictOf(reading)
  const isProven = session.vault().activation?.verdict === verdict
  if (reading.kind === 'undecided' || (reading.kind === 'unknown' && !isProven)) {
    const { cause } = reading
    const isClockToBlame = cause.code === 'offline' && session.time.isBehind()
    session.journal.note('validate', cause)
    session.setUnreachable()
    // Save the mark even without an answer, so that time offline counts after a restart.
    void session.saveTime()
    if (isClockToBlame) return { cause, problem: { ...cause, code: 'clock-behind' } }
    // A computer that was activated without internet isn't expected to have it.
    const entitlement = session.entitlement()
    const isHeldOffline = 'validUntilMs' in entitlement
    return { cause, problem: isHeldOffline ? null : cause }
  }
  if (reading.kind !== 'unknown' && verdict !== 'valid') {
    await session.recordAnswer({ type: 'answered', keyId, reading })
  }
  if (reading.kind === 'licensed' && lacksLease(reading, activation.fingerprint, session.ports.leases)) {
    const cause: ProblemCause = { code: 'untrusted-answer' }
    session.journal.note('validate', cause)
    return { cause, problem: cause }
  }
  // A license that has ended may still cover this build.
  const isEntitled = session.published.current.entitled
  const code = isEntitled ? null : refusalCode(verdict)
  const problem: ProblemCause | null = code === null ? null : { code }
  session.journal.note('validate', problem)
  return { cause: null, problem }
}

/** What a reading means once it is definite. */
function verdictOf(reading: Reading): Verdict {
  return ('verdict' in reading ? reading.verdict : undefined) ?? 'revoked'
}
