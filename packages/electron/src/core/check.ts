import { pursueActivation } from './activation.ts'
import type { ActivationOutcome } from './adoption.ts'
import type { Desk } from './desk.ts'
import { flushOutbox } from './outbox.ts'
import type { Trouble } from './problem.ts'
import { refusalCode } from './refusal.ts'
import { isSameId } from './same-id.ts'
import { lacksLease } from './stored-lease.ts'
import { readKey } from './validation.ts'
import type { PendingActivation } from './vault.ts'

/** How finishing what was left over from before went. */
export interface LeftOvers {
  /** Why it has to be tried again; `null` when it has not. */
  readonly trouble: Trouble | null
  /** What to tell about it. */
  readonly problem: Trouble | null
  /** Whether an activation was finished, and its key validated on the way. */
  readonly isValidated: boolean
}

/**
 * One round with the service: what was left over from before, then this device's key.
 * An ordinary launch has nothing left over, and makes exactly one request.
 *
 * @param settle runs what takes or frees seats in its turn.
 * @returns the trouble met, `null` when all is well.
 */
export async function checkEverything(
  desk: Desk,
  settle: (operation: () => Promise<LeftOvers>) => Promise<LeftOvers>,
): Promise<Trouble | null> {
  await desk.identity()
  const { pending, outbox } = desk.vault()
  const isSettled = pending === null && outbox.length === 0
  const leftOvers = isSettled ? null : await settle(() => settleLeftOvers(desk))
  const { activation } = desk.vault()
  const isDue = activation !== null && leftOvers?.isValidated !== true
  const checked = isDue ? await checkKey(desk, activation.licenseId, activation.keyId) : null
  if (leftOvers !== null || checked !== null) {
    desk.setProblem(checked?.problem ?? leftOvers?.problem ?? null)
  }
  return checked?.trouble ?? leftOvers?.trouble ?? null
}

/** Finishes an activation that was cut off, and frees the seats that wait for it. */
async function settleLeftOvers(desk: Desk): Promise<LeftOvers> {
  const { pending } = desk.vault()
  const finished = pending === null ? null : await finishActivation(desk, pending)
  const hasReleases = desk.vault().outbox.length > 0
  const unsent = hasReleases ? await flushOutbox(desk) : null
  if (hasReleases) desk.note('free a seat', unsent)

  const isSignedOut = desk.vault().activation === null
  const waiting: Trouble | null = unsent && isSignedOut ? { ...unsent, code: 'deactivation-pending' } : null
  return {
    trouble: (finished?.ok === false ? finished.trouble : null) ?? unsent,
    problem: finished?.trouble ?? waiting,
    isValidated: finished?.ok === true,
  }
}

async function finishActivation(desk: Desk, { licenseId }: PendingActivation): Promise<ActivationOutcome> {
  const outcome = await pursueActivation(desk, licenseId, false)
  desk.note('finish activation', outcome.trouble)
  return outcome
}

/** @returns `null` when the answer spoke of a key this device no longer has. */
async function checkKey(
  desk: Desk,
  licenseId: string,
  keyId: string,
): Promise<Pick<LeftOvers, 'trouble' | 'problem'> | null> {
  const reading = await readKey(desk, licenseId, keyId)
  // Activated or signed out while the answer was on its way, here or by another process of this app.
  const { activation } = desk.vault()
  if (activation === null || !isSameId(activation.keyId, keyId) || desk.isTakenOver()) return null

  if (reading.kind === 'unknown') await desk.hear({ type: 'answered', keyId, reading })
  const isProven = desk.vault().activation?.verdict === 'revoked'
  if (reading.kind === 'undecided' || (reading.kind === 'unknown' && !isProven)) {
    const { trouble } = reading
    const isClockToBlame = trouble.code === 'offline' && desk.isClockBehind()
    desk.note('validate', trouble)
    desk.setUnreachable()
    // Offline for weeks, and the mark would stand where the last answer left it.
    void desk.saveMark()
    return { trouble, problem: isClockToBlame ? { ...trouble, code: 'clock-behind' } : trouble }
  }
  if (reading.kind !== 'unknown') await desk.hear({ type: 'answered', keyId, reading })
  if (reading.kind === 'licensed' && lacksLease(reading, activation.fingerprint, desk.ports.leases)) {
    const trouble: Trouble = { code: 'untrusted-answer' }
    desk.note('validate', trouble)
    return { trouble, problem: trouble }
  }
  const code = refusalCode(reading.kind === 'licensed' ? reading.verdict : 'revoked')
  const problem: Trouble | null = code === null ? null : { code }
  desk.note('validate', problem)
  return { trouble: null, problem }
}
