import type { LicenseKey } from '@latchkey/commerce'
import type { Desk } from './desk.ts'
import { type KeyLook, listKeys, lookForKey, provesAbsence, showKey } from './own-keys.ts'
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
    return { trouble: await doubtOfSuccess(desk, licenseId, keyId), isFreedNow: true }
  } catch (error) {
    const failure = readFailure(error)
    if (failure.kind !== 'unreachable') {
      return { trouble: afterRefusal(failure, await lookForKey(desk, licenseId, keyId)), isFreedNow: false }
    }
    if (failure.oddSuccess === undefined) return { trouble: failure.trouble, isFreedNow: false }
    return { trouble: await doubtOfSuccess(desk, licenseId, keyId), isFreedNow: true }
  }
}

/**
 * A box that says "OK" to everything frees no seat. The key that is gone is refused by the service when it is asked
 * for; whoever answers that question too has not understood the one before.
 *
 * @returns `null` when the seat is free.
 */
async function doubtOfSuccess(desk: Desk, licenseId: string, keyId: string): Promise<Trouble | null> {
  const look = await showKey(desk, licenseId, keyId)
  switch (look.kind) {
    case 'refused':
      return null
    case 'shown':
      return { code: 'unconfirmed' }
    case 'unreachable':
      // With leases, a "not found" that nobody signed: too little to revoke a device, and enough beside a success.
      return look.trouble.code === 'untrusted-answer' ? null : look.trouble
  }
}

/** What the list says where freeing a seat was refused; `null` when it is free already. */
function afterRefusal(failure: Failure, look: KeyLook): Trouble | null {
  switch (look.found) {
    case 'gone':
      return null
    case 'there':
    case 'unclear':
    case 'refused':
      return failure.kind === 'unauthorized' ? failure.trouble : { ...failure.trouble, code: 'unconfirmed' }
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
  // A list that lacks the key in use may come out of a cache that is older than it.
  if (isInUse && !listing.keys.some((key) => isSameId(key.id, activation.keyId)))
    return { code: 'unconfirmed' }
  if (isInUse && own.length > 0) return keepOldest(desk, activation, own)
  for (const key of own) {
    const { trouble } = await releaseKey(desk, licenseId, key.id)
    if (trouble !== null) return trouble
  }
  if (own.length === 0) {
    const trouble = doubtOf(await provesAbsence(desk, licenseId, listing))
    if (trouble !== null) return trouble
  }
  await desk.record({ type: 'seat-freed', release })
  return null
}

/** Why a key may still be there; `null` when it is gone. */
function doubtOf(look: KeyLook): Trouble | null {
  if (look.found === 'gone') return null
  return 'trouble' in look ? look.trouble : { code: 'unconfirmed' }
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
