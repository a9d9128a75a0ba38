import type { LicenseFacts } from './license-facts.ts'

/** Whether a license can be used. */
export type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive'

/**
 * Returns whether a license can be used at a given time. The rule is the same for every service: the reported status
 * comes first, then the end, unless the service treats the license as valid after its end.
 *
 * @param nowMs the trusted time, in milliseconds since the epoch.
 */
export function readVerdict(license: LicenseFacts, nowMs: number): Verdict {
  if (license.status !== null && license.status !== 'active') return license.status
  const hasEnded = typeof license.endsAtMs === 'number' && license.endsAtMs <= nowMs
  return hasEnded && !license.worksAfterEnd ? 'expired' : 'valid'
}
