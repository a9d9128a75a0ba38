import type { Desk } from './desk.ts'
import { listKeys } from './own-keys.ts'
import type { Trouble } from './problem.ts'
import { readFailure } from './read-answer.ts'
import { confirmGone } from './validation.ts'
import type { PendingRelease } from './vault.ts'

/**
 * Sends what could not be sent before. What fails stays for the next chance.
 *
 * @returns the last trouble met, `null` when every seat was freed.
 */
export async function flushOutbox(desk: Desk): Promise<Trouble | null> {
  let lastTrouble: Trouble | null = null
  for (const release of desk.vault().outbox) {
    const trouble =
      release.keyId === null
        ? await releaseUnknownKeys(desk, release)
        : await releaseQueuedKey(desk, release, release.keyId)
    lastTrouble = trouble ?? lastTrouble
  }
  // Keeping the oldest of several keys queues the others: they go in the same round.
  return lastTrouble === null && desk.vault().outbox.length > 0 ? flushOutbox(desk) : lastTrouble
}

/** Frees one seat. A key that is gone already counts as freed. */
export async function releaseKey(desk: Desk, licenseId: string, keyId: string): Promise<Trouble | null> {
  try {
    const { serverDateMs } = await desk.ports.commerce.deactivate(licenseId, keyId)
    desk.answered(serverDateMs)
    return null
  } catch (error) {
    const failure = readFailure(error)
    if (failure.kind !== 'not-found' && failure.kind !== 'rejected') return failure.trouble
    const reading = await confirmGone(desk, licenseId, keyId)
    return reading.kind === 'undecided' ? reading.trouble : null
  }
}

async function releaseQueuedKey(desk: Desk, release: PendingRelease, keyId: string): Promise<Trouble | null> {
  // Adopted again in the meantime: the seat is in use.
  const isInUse = desk.vault().activation?.keyId === keyId
  const trouble = isInUse ? null : await releaseKey(desk, release.licenseId, keyId)
  if (trouble === null) await desk.record({ type: 'seat-freed', release })
  return trouble
}

/** An answer was lost once: whatever key of the license bears this device's name is found by listing. */
async function releaseUnknownKeys(desk: Desk, release: PendingRelease): Promise<Trouble | null> {
  const { licenseId } = release
  const listing = await listKeys(desk, licenseId)
  if (listing.kind === 'refused' || listing.kind === 'undecided') return listing.trouble

  const own = listing.kind === 'keys' ? listing.own : []
  const [oldest, ...others] = own
  if (oldest !== undefined && desk.vault().activation?.licenseId === licenseId) {
    await desk.record({
      type: 'kept-oldest',
      keyId: oldest.id,
      duplicateKeyIds: others.map((key) => key.id),
    })
    return null
  }
  for (const key of own) {
    const trouble = await releaseKey(desk, licenseId, key.id)
    if (trouble !== null) return trouble
  }
  await desk.record({ type: 'seat-freed', release })
  return null
}
