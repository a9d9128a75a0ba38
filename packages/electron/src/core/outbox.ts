import type { LicenseKey } from '@latchkey/commerce'
import type { Desk } from './desk.ts'
import { type KeyLook, listKeys, lookForKey } from './own-keys.ts'
import type { Trouble } from './problem.ts'
import { type Failure, readFailure } from './read-answer.ts'
import { isSameId } from './same-id.ts'
import { readKey } from './validation.ts'
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
    !tried.has(nameOf(release)) && (pending === null || !isSameId(release.licenseId, pending.licenseId))
  return outbox.find(isDue) ?? null
}

function nameOf({ licenseId, keyId }: PendingRelease): string {
  return `${licenseId} ${keyId ?? 'any'}`
}

/** How freeing a seat went. */
export interface ReleaseOutcome {
  /** `null` when the seat is free. */
  readonly trouble: Trouble | null
  /** Whether this very request freed it; a key that is proven to be gone already counts as freed too. */
  readonly isFreedNow: boolean
}

/** Frees one seat. */
export async function releaseKey(desk: Desk, licenseId: string, keyId: string): Promise<ReleaseOutcome> {
  try {
    const { serverDateMs } = await desk.ports.commerce.deactivate(licenseId, keyId)
    desk.answered(serverDateMs)
    return { trouble: null, isFreedNow: true }
  } catch (error) {
    const failure = readFailure(error)
    const isFreedNow = failure.kind === 'unreachable' && failure.oddSuccess !== undefined
    const trouble =
      failure.kind === 'unreachable' && !isFreedNow
        ? failure.trouble
        : afterLook(failure, await lookForKey(desk, licenseId, keyId))
    return { trouble, isFreedNow }
  }
}

/** What the list says where the answer itself does not tell whether the seat is free; `null` when it is. */
function afterLook(failure: Failure, look: KeyLook): Trouble | null {
  const isSuccess = failure.kind === 'unreachable'
  const doubt: Trouble =
    failure.kind === 'unauthorized' ? failure.trouble : { ...failure.trouble, code: 'unconfirmed' }
  switch (look.found) {
    case 'gone':
      return null
    case 'unclear':
    case 'refused':
      // A success without the documented body, and nothing to check it by: the service would otherwise be asked to free
      // the same seat for ever. A box that answers everything alike does not refuse the list, it answers it likewise.
      return isSuccess ? null : doubt
    case 'there':
      return doubt
    case 'unreachable':
      return look.trouble
  }
}

type KnownRelease = Extract<PendingRelease, { keyId: string }>
type UnknownRelease = Extract<PendingRelease, { keyId: null }>

async function releaseQueuedKey(desk: Desk, release: KnownRelease): Promise<Trouble | null> {
  const { trouble } = await releaseKey(desk, release.licenseId, release.keyId)
  if (trouble === null) await desk.record({ type: 'seat-freed', release })
  return trouble
}

/** An answer was lost once: whatever key of the license bears this device's name is found by listing. */
async function releaseUnknownKeys(desk: Desk, release: UnknownRelease): Promise<Trouble | null> {
  const { licenseId } = release
  const listing = await listKeys(desk, licenseId)
  if (listing.kind !== 'keys') return listing.trouble

  const { own } = listing
  const { activation } = desk.vault()
  const isInUse =
    activation !== null && activation.verdict !== 'revoked' && isSameId(activation.licenseId, licenseId)
  if (isInUse && own.length > 0) return keepOldest(desk, activation, own)
  for (const key of own) {
    const { trouble } = await releaseKey(desk, licenseId, key.id)
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
    const reading = isSameId(id, keyId) ? null : await readKey(desk, licenseId, id)
    if (reading?.kind === 'undecided') return reading.trouble
    if (reading?.kind === 'revoked') continue
    const duplicateKeyIds = own.slice(index + 1).map((key) => key.id)
    await desk.record({ type: 'kept-oldest', keyId: id, reading, duplicateKeyIds })
    return null
  }
  // What was listed is gone: the next look finds what is there then.
  return { code: 'unconfirmed' }
}
