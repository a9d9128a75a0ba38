import type { License, LicenseKey } from '@latchkey/commerce'
import { answered, type Reply } from '../http/reply.ts'
import type { LeaseSubject } from '../leases/lease-claims-of.ts'
import type { LeaseIssuer } from '../leases/lease-issuer.ts'
import type { LeaseRequest } from '../leases/lease-request.ts'
import type { ServedLicense } from './allow-rule.ts'
import { type TermsRules, withTerms } from './license-terms.ts'
import { wireActivation } from './wire.ts'

/** Creates the reply about a license and a key, with plan and features, and a lease if the app asked for one. */
export type LicensedReply = (
  subject: LeaseSubject,
  license: License,
  served: ServedLicense,
  key: LicenseKey,
  leaseRequest: LeaseRequest | null,
) => Promise<Reply>

export function createLicensedReply(leases: LeaseIssuer, rules: TermsRules): LicensedReply {
  return async (subject, license, served, key, leaseRequest) => {
    const { license: shown, isCut } = await withTerms(license, served, rules)
    const lease = await leases.validated(subject, shown, key, leaseRequest)
    const reply = answered(wireActivation(shown, key), lease)
    return isCut ? { ...reply, remark: 'features-cut' } : reply
  }
}
