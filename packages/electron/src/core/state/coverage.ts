import { endOf } from '../record/proven-end.ts'
import type { ActivationRecord } from '../record/vault.ts'

/** What coverage depends on. */
export type CoverageFacts = Pick<ActivationRecord, 'license' | 'verdict' | 'validAtMs' | 'decidedAtMs'>

/** Until when a license covers new builds, in milliseconds since the epoch; `Infinity` if it has no end. */
export function coveredUntilMs({ license, verdict, validAtMs, decidedAtMs }: CoverageFacts): number {
  const endMs = endOf(license)
  if (verdict !== 'expired' || Number.isFinite(endMs)) return endMs
  // The service says that the license has ended, but not when: it hadn't when it was last valid here.
  return validAtMs < decidedAtMs ? validAtMs : Number.NEGATIVE_INFINITY
}

/**
 * Whether a license covers a build, including one released at the very end. The computer's clock plays no part in it.
 *
 * @param releasedAtMs `undefined` if licenses don't cover builds by their release date.
 */
export function coversBuild(facts: CoverageFacts, releasedAtMs: number | undefined): boolean {
  return releasedAtMs !== undefined && releasedAtMs <= coveredUntilMs(facts)
}
