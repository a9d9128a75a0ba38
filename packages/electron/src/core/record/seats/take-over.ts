import { searchOf } from '../orphan-search.ts'
import { isSameRelease } from '../outbox-entries.ts'
import { isSameId } from '../same-id.ts'
import type { PendingRelease, Vault } from '../vault.ts'
import { abandonPending, activated, signedOut, withReleases } from './seat-changes.ts'

/** Takes over an earlier record: what the newer one decided counts as if it had happened after it. */
export function takenOver(newer: Vault, earlier: Vault, isSignedOut: boolean, nowMs: number): Vault {
  const { activation, pending, trialStartedAtMs } = newer
  const trials = [trialStartedAtMs, earlier.trialStartedAtMs].filter((startedAtMs) => startedAtMs !== null)
  const joined: Vault = {
    ...newer,
    activation: earlier.activation,
    pending: earlier.pending,
    outbox: joinedOutbox(earlier, newer),
    trialStartedAtMs: trials.length === 0 ? null : Math.min(...trials),
    unopened: earlier.unopened && {
      ...earlier.unopened,
      isSignedOut: isSignedOut || earlier.unopened.isSignedOut,
    },
  }
  const left = isSignedOut ? signedOut(joined) : joined
  const begun = activation === null && pending === null ? left : { ...abandonPending(left), pending }
  const before = begun.activation
  if (activation === null) return withoutOwn(begun)
  // A working license isn't replaced by one that doesn't work.
  if (
    before?.verdict === 'valid' &&
    activation.verdict !== 'valid' &&
    !isSameId(before.licenseId, activation.licenseId)
  ) {
    const owed = activation.verdict === 'revoked' ? [] : [activation.keyId]
    return withoutOwn({ ...begun, outbox: withReleases(begun, begun.outbox, activation.licenseId, owed) })
  }
  return activated(begun, activation, [], searchOf(begun, activation.licenseId), nowMs)
}

/** Never frees the seat in use. */
function withoutOwn(vault: Vault): Vault {
  const { activation, outbox } = vault
  return activation === null
    ? vault
    : { ...vault, outbox: outbox.filter((release) => !isSameRelease(release, activation)) }
}

/** Returns everything that two records of this device owe. Entries of the newer one win. */
function joinedOutbox(earlier: Vault, newer: Vault): readonly PendingRelease[] {
  const known = earlier.outbox.filter((queued) => !newer.outbox.some((other) => isSameRelease(queued, other)))
  const latest = (queued: PendingRelease): PendingRelease => {
    const search = searchOf(earlier, queued.licenseId)
    return queued.keyId !== null || search === null
      ? queued
      : { ...queued, lateUntilMs: later(search.lateUntilMs, queued.lateUntilMs) }
  }
  return [...known, ...newer.outbox.map(latest)]
}

function later(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
