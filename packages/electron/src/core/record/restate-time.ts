import { clockToleranceMs } from '../time/high-water-mark.ts'
import { longestDeliveryMs } from './outbox-entries.ts'
import type { Vault } from './vault.ts'

/**
 * Adjusts the record to the time the service stated. If the time moved back, nothing can have happened after that
 * moment. If it moved forward, nothing ages, so that one wrong `Date` can't use up the grace period.
 */
export function restateTime(vault: Vault, movedMs: number, nowMs: number): Vault {
  const { activation, pending, offlineRequest, freed, trialStartedAtMs } = vault
  const forwardMs = movedMs > clockToleranceMs ? movedMs : 0
  const past = (ms: number): number => Math.min(ms + forwardMs, nowMs)
  // A late request takes as long to arrive whatever the clock says, so this moves with every correction forward.
  const soon = (ms: number): number => Math.min(ms + Math.max(0, movedMs), nowMs + longestDeliveryMs)
  return {
    ...vault,
    activation: activation && {
      ...activation,
      activatedAtMs: past(activation.activatedAtMs),
      decidedAtMs: past(activation.decidedAtMs),
      ...(activation.revokedAtMs === undefined ? {} : { revokedAtMs: past(activation.revokedAtMs) }),
      validAtMs: past(activation.validAtMs),
      ...(activation.unknown !== undefined && {
        unknown: { ...activation.unknown, sinceMs: past(activation.unknown.sinceMs) },
      }),
    },
    pending: pending && {
      ...pending,
      requestedAtMs: past(pending.requestedAtMs),
      lateUntilMs: pending.lateUntilMs === null ? null : soon(pending.lateUntilMs),
      ...(pending.earlierUntilMs !== undefined && { earlierUntilMs: soon(pending.earlierUntilMs) }),
    },
    ...(offlineRequest !== undefined && {
      offlineRequest: { ...offlineRequest, requestedAtMs: past(offlineRequest.requestedAtMs) },
    }),
    outbox: vault.outbox.map((release) => {
      if (release.keyId === null) {
        const { lateUntilMs, refusedSinceMs, askedAtMs } = release
        return {
          ...release,
          lateUntilMs: lateUntilMs === null ? null : soon(lateUntilMs),
          ...(refusedSinceMs !== undefined && { refusedSinceMs: past(refusedSinceMs) }),
          ...(askedAtMs !== undefined && { askedAtMs: past(askedAtMs) }),
        }
      }
      const { lateUntilMs, unknownSinceMs } = release
      return {
        ...release,
        ...(lateUntilMs !== undefined && { lateUntilMs: soon(lateUntilMs) }),
        ...(unknownSinceMs !== undefined && { unknownSinceMs: past(unknownSinceMs) }),
      }
    }),
    ...(freed !== undefined && { freed: freed.map((one) => ({ ...one, atMs: past(one.atMs) })) }),
    trialStartedAtMs: trialStartedAtMs === null ? null : past(trialStartedAtMs),
  }
}
