import type { LicenseKey } from '@latchkey/commerce'
import type { Desk } from './desk.ts'
import { listKeys } from './own-keys.ts'
import type { Trouble } from './problem.ts'
import { readFailure } from './read-answer.ts'
import { confirmGone, readKey } from './validation.ts'
import type { ActivationRecord, PendingRelease, Vault } from './vault.ts'

/**
 * Sends what could not be sent before, each once. What fails stays for the next chance.
 *
 * @returns the last trouble met, `null` when there was none.
 */
export async function flushOutbox(desk: Desk): Promise<Trouble | null> {
  const tried = new Set<string>()
  let lastTrouble: Trouble | null = null
  // Keeping the oldest of several keys queues the others: they go in the same round.
  for (let next = nextRelease(desk.vault(), tried); next !== null; next = nextRelease(desk.vault(), tried)) {
    tried.add(nameOf(next))
    const trouble =
      next.keyId === null ? await releaseUnknownKeys(desk, next) : await releaseQueuedKey(desk, next)
    lastTrouble = trouble ?? lastTrouble
  }
  return lastTrouble
}

function nextRelease({ outbox, pending }: Vault, tried: ReadonlySet<string>): PendingRelease | null {
  // A license that is about to be activated may yet use the key that waits to be freed.
  const isDue = (release: PendingRelease): boolean =>
    !tried.has(nameOf(release)) && release.licenseId !== pending?.licenseId
  return outbox.find(isDue) ?? null
}

function nameOf({ licenseId, keyId }: PendingRelease): string {
  return `${licenseId} ${keyId ?? 'any'}`
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

type KnownRelease = Extract<PendingRelease, { keyId: string }>
type UnknownRelease = Extract<PendingRelease, { keyId: null }>

async function releaseQueuedKey(desk: Desk, release: KnownRelease): Promise<Trouble | null> {
  const trouble = await releaseKey(desk, release.licenseId, release.keyId)
  if (trouble === null) await desk.record({ type: 'seat-freed', release })
  return trouble
}

/** An answer was lost once: whatever key of the license bears this device's name is found by listing. */
async function releaseUnknownKeys(desk: Desk, release: UnknownRelease): Promise<Trouble | null> {
  const { licenseId } = release
  const listing = await listKeys(desk, licenseId)
  if (listing.kind === 'refused' || listing.kind === 'undecided') return listing.trouble

  const own = listing.kind === 'keys' ? listing.own : []
  const { activation } = desk.vault()
  const isInUse = activation?.licenseId === licenseId && activation.verdict !== 'revoked'
  if (isInUse && own.length > 0) return keepOldest(desk, activation, own)
  for (const key of own) {
    const trouble = await releaseKey(desk, licenseId, key.id)
    if (trouble !== null) return trouble
  }
  await desk.record({ type: 'seat-freed', release })
  return null
}

/** All processes of a device settle on its oldest key; one that is gone by now is passed over. */
async function keepOldest(
  desk: Desk,
  { licenseId, keyId }: ActivationRecord,
  own: readonly LicenseKey[],
): Promise<Trouble | null> {
  for (const [index, { id }] of own.entries()) {
    const reading = id === keyId ? null : await readKey(desk, licenseId, id)
    if (reading?.kind === 'undecided') return reading.trouble
    if (reading?.kind === 'revoked') continue
    const duplicateKeyIds = own.slice(index + 1).map((key) => key.id)
    await desk.record({ type: 'kept-oldest', keyId: id, reading, duplicateKeyIds })
    return null
  }
  // What was listed is gone: the next look finds what is there then.
  return { code: 'unconfirmed' }
}
