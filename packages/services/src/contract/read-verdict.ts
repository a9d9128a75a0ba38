import type { LicenseFacts } from './license-facts.ts'

/** Whether a license lets the device in. */
export type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive'

/**
 * Decides by a license's facts whether it may be used at a moment. The same rule for every service: its word comes
 * first, then the end, unless the service keeps a license valid after its end.
 *
 * @param nowMs the trusted time, in milliseconds since the epoch.
 */
export function readVerdict(license: LicenseFacts, nowMs: number): Verdict {
  if (license.status !== null && license.status !== 'active') return license.status
  const hasEnded = typeof license.endsAtMs === 'number' && license.endsAtMs <= nowMs
  return hasEnded && !license.worksAfterEnd ? 'expired' : 'valid'
}
