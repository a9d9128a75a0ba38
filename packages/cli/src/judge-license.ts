import { isLicenseUsable, type License, remainingSeats, toEndDate } from '@latchkey/commerce'

/** What an app with a key of this license would decide, and why. */
export interface LicenseJudgement {
  readonly decision: 'entitled' | 'expired' | 'suspended' | 'inactive'
  readonly why: string
  /** `null` if the service didn't state the number of seats. */
  readonly seatsLeft: number | null
}

/** Decides as the app does: first suspension, then the license's end, then its status. */
export function judgeLicense(license: License, nowMs: number): LicenseJudgement {
  return { ...decide(license, nowMs), seatsLeft: remainingSeats(license) }
}

function decide(license: License, nowMs: number): Omit<LicenseJudgement, 'seatsLeft'> {
  const { suspended_at, expires_at, status } = license
  if (isLicenseUsable(license, nowMs)) {
    return {
      decision: 'entitled',
      why: `status ACTIVE, not suspended, ${expires_at === null ? 'without end' : `ends ${expires_at}`}`,
    }
  }
  if (suspended_at !== null) return { decision: 'suspended', why: `suspended at ${suspended_at}` }
  const endMs = expires_at === null ? null : (toEndDate(expires_at)?.getTime() ?? null)
  if (endMs !== null && endMs <= nowMs) return { decision: 'expired', why: `ended ${expires_at}` }
  return { decision: 'inactive', why: `status is ${status}; only ACTIVE entitles` }
}
