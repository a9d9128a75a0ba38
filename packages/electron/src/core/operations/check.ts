import type { LicensingSession } from '../licensing-session.ts'
import type { ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import { lacksLease } from '../record/stored-lease.ts'
import type { PendingActivation } from '../record/vault.ts'
import { refusalCode } from '../service/refusal.ts'
import { readKey } from '../service/validation.ts'
import { pursueActivation } from './activation.ts'
import type { ActivationOutcome } from './adoption.ts'
import { flushOutbox } from './outbox.ts'

/** How finishing what was left over from before went. */
export interface LeftOvers {
  /** Why it has to be tried again; `null` when it has not. */
  readonly cause: ProblemCause | null
  /** What to tell about it. */
  readonly problem: ProblemCause | null
  /** Whether an activation was finished, and its key validated on the way. */
  readonly isValidated: boolean
}

/**
 * One round with the service: what was left over from before, then this device's key.
 * An ordinary launch has nothing left over, and makes exactly one request.
 *
 * @param settle runs what takes or frees seats in its turn.
 * @returns the cause of a problem, `null` when all is well.
 */
export async function checkEverything(
  session: LicensingSession,
  settle: (operation: () => Promise<LeftOvers>) => Promise<LeftOvers>,
): Promise<ProblemCause | null> {
  await session.identity()
  const { pending, outbox } = session.vault()
  const isSettled = pending === null && outbox.length === 0
  const leftOvers = isSettled ? null : await settle(() => settleLeftOvers(session))
  const { activation } = session.vault()
  const isDue = activation !== null && leftOvers?.isValidated !== true
  const checked = isDue ? await checkKey(session, activation.licenseId, activation.keyId) : null
  if (leftOvers !== null || checked !== null) {
    session.setProblem(checked?.problem ?? leftOvers?.problem ?? null)
  }
  return checked?.cause ?? leftOvers?.cause ?? null
}

/** Finishes an activation that was cut off, and frees the seats that wait for it. */
async function settleLeftOvers(session: LicensingSession): Promise<LeftOvers> {
  const { pending } = session.vault()
  const finished = pending === null ? null : await finishActivation(session, pending)
  const hasReleases = session.vault().outbox.length > 0
  const unsent = hasReleases ? await flushOutbox(session) : null
  if (hasReleases) session.journal.note('free a seat', unsent)

  const isSignedOut = session.vault().activation === null
  const waiting: ProblemCause | null =
    unsent && isSignedOut ? { ...unsent, code: 'deactivation-pending' } : null
  return {
    cause: (finished?.ok === false ? finished.cause : null) ?? unsent,
    problem: finished?.cause ?? waiting,
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

/** @returns `null` when the answer spoke of a key this device no longer has. */
async function checkKey(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
): Promise<Pick<LeftOvers, 'cause' | 'problem'> | null> {
  const reading = await readKey(session, licenseId, keyId)
  // Activated or signed out while the answer was on its way, here or by another process of this app.
  const { activation } = session.vault()
  if (activation === null || !isSameId(activation.keyId, keyId) || session.file.isTakenOver()) return null

  if (reading.kind === 'unknown') await session.recordAnswer({ type: 'answered', keyId, reading })
  const isProven = session.vault().activation?.verdict === 'revoked'
  if (reading.kind === 'undecided' || (reading.kind === 'unknown' && !isProven)) {
    const { cause } = reading
    const isClockToBlame = cause.code === 'offline' && session.time.isBehind()
    session.journal.note('validate', cause)
    session.setUnreachable()
    // Offline for weeks, and the mark would stand where the last answer left it.
    void session.file.saveUnlessForeign()
    return { cause, problem: isClockToBlame ? { ...cause, code: 'clock-behind' } : cause }
  }
  if (reading.kind !== 'unknown') await session.recordAnswer({ type: 'answered', keyId, reading })
  if (reading.kind === 'licensed' && lacksLease(reading, activation.fingerprint, session.ports.leases)) {
    const cause: ProblemCause = { code: 'untrusted-answer' }
    session.journal.note('validate', cause)
    return { cause, problem: cause }
  }
  const code = refusalCode(reading.kind === 'licensed' ? reading.verdict : 'revoked')
  const problem: ProblemCause | null = code === null ? null : { code }
  session.journal.note('validate', problem)
  return { cause: null, problem }
}
