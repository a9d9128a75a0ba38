import { pursueActivation, refusalCode } from './activation.ts'
import type { Desk } from './desk.ts'
import { flushOutbox } from './outbox.ts'
import type { Trouble } from './problem.ts'
import { readKey } from './validation.ts'

/**
 * One round with the service: what was left over from before, then this device's key.
 * An ordinary launch has nothing left over, and makes exactly one request.
 *
 * @param settle runs what takes or frees seats in its turn.
 * @returns the trouble met, `null` when all is well.
 */
export async function checkEverything(
  desk: Desk,
  settle: (operation: () => Promise<Trouble | null>) => Promise<Trouble | null>,
): Promise<Trouble | null> {
  await desk.identity()
  const { pending, outbox } = desk.vault()
  const leftOver = pending !== null || outbox.length > 0 ? await settle(() => settleLeftOvers(desk)) : null
  const { activation } = desk.vault()
  if (activation === null || pending?.licenseId === activation.licenseId) return leftOver
  return (await checkKey(desk, activation.licenseId, activation.keyId)) ?? leftOver
}

/** Finishes an activation that was cut off, and frees the seats that wait for it. */
async function settleLeftOvers(desk: Desk): Promise<Trouble | null> {
  let trouble: Trouble | null = null
  if (desk.vault().pending !== null) {
    const outcome = await pursueActivation(desk, false)
    desk.report('finish activation', outcome.trouble)
    trouble = outcome.ok ? null : outcome.trouble
  }
  if (desk.vault().outbox.length > 0) {
    const outboxTrouble = await flushOutbox(desk)
    if (desk.vault().activation === null && trouble === null) {
      desk.report('free a seat', outboxTrouble && { ...outboxTrouble, code: 'deactivation-pending' })
    }
    trouble = trouble ?? outboxTrouble
  }
  return trouble
}

async function checkKey(desk: Desk, licenseId: string, keyId: string): Promise<Trouble | null> {
  const reading = await readKey(desk, licenseId, keyId)
  // Activated or signed out while the answer was on its way: it speaks of a key this device no longer has.
  if (desk.vault().activation?.keyId !== keyId) return null

  if (reading.kind === 'undecided') {
    const { trouble } = reading
    const isClockToBlame = trouble.code === 'offline' && desk.isClockBehind()
    desk.setUnreachable()
    desk.report('validate', isClockToBlame ? { ...trouble, code: 'clock-behind' } : trouble)
    if (trouble.code === 'unauthorized') {
      desk.ports.logger.error(
        `The license service refused this app's request (status ${trouble.httpStatus ?? 'unknown'}): check the access token or gateway`,
      )
    }
    return trouble
  }
  await desk.record({ type: 'answered', keyId, reading })
  const code = refusalCode(reading.kind === 'revoked' ? 'revoked' : reading.verdict)
  desk.report('validate', code === null ? null : { code })
  return null
}
