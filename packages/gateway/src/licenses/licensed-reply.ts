import type { License, LicenseKey } from '@latchkey/commerce'
import { answered, type Reply, refused } from '../http/reply.ts'
import { endMsOf, type LeaseSubject } from '../leases/lease-claims-of.ts'
import type { LeaseIssuer } from '../leases/lease-issuer.ts'
import type { LeaseRequest } from '../leases/lease-request.ts'
import type { ServedLicense } from './allow-rule.ts'
import { type TermsRules, withTerms } from './license-terms.ts'
import { wireActivation } from './wire.ts'

/**
 * Creates the reply about a license and a key, with plan and features, and a lease if the app asked for one.
 *
 * `serviceTimeMs` returns when the service said so, by its own clock; `null` if it has no date. It is only called for a
 * license that the service calls active and that has ended by the gateway's clock.
 */
export type LicensedReply = (
  subject: LeaseSubject,
  license: License,
  served: ServedLicense,
  key: LicenseKey,
  leaseRequest: LeaseRequest | null,
  serviceTimeMs: () => Promise<number | null>,
) => Promise<Reply>

/** Clocks differ by less. A clock with a wrong time zone differs by more, and would end a license hours too early. */
const toleranceMs = 300_000

export function createLicensedReply(
  leases: LeaseIssuer,
  rules: TermsRules,
  clock: () => number,
): LicensedReply {
  return async (subject, license, served, key, leaseRequest, serviceTimeMs) => {
    if (leaseRequest !== null && (await isClockAhead(license, clock(), serviceTimeMs))) return wrongClock
    const { license: shown, isCut, detail = null } = await withTerms(license, served, rules)
    const issued = await leases.validated(subject, shown, key, leaseRequest)
    const remark = isCut ? { remark: 'features-cut' as const } : {}
    return { ...answered(wireActivation(shown, key)), detail, ...remark, ...issued }
  }
}

/** A signed "expired" is definite for the app, so the gateway's clock alone must not decide it. */
const wrongClock: Reply = { ...refused(502, 'upstream-unexpected-answer'), remark: 'clock-differs' }

async function isClockAhead(
  license: License,
  nowMs: number,
  serviceTimeMs: () => Promise<number | null>,
): Promise<boolean> {
  const endMs = endMsOf(license)
  if (license.status !== 'ACTIVE' || license.suspended_at !== null || nowMs < endMs) return false
  const statedMs = await serviceTimeMs()
  return statedMs !== null && statedMs < endMs && nowMs - statedMs > toleranceMs
}
