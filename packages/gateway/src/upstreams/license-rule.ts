import type { License } from '@latchkey/commerce'
import type { LicenseFacts, LicenseService, Refusal, ServiceCall } from '@latchkey/services'
import { type Reply, refused } from '../http/reply.ts'
import { type AllowRule, applyRule, type ServedLicense } from '../licenses/allow-rule.ts'
import { notAllowed } from '../licenses/license-operations.ts'
import { internalFailure } from '../licenses/upstream-refusal.ts'
import { isUnfindable, replyOfUnavailable } from './service-reply.ts'
import { licenseOf } from './wire-of-facts.ts'

/** What the `allow` rule says about a license before anything else is requested. */
export type Judgment =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'rejected'; readonly reply: Reply }
  /** The service doesn't show the license, so the rule can't run yet. */
  | { readonly kind: 'unseen'; readonly refusal: Refusal | null }

/** The `allow` rule in front of one service. */
export interface LicenseRule {
  /** Shows a license to the rule. */
  judge(licenseKey: string): Promise<Judgment>
  isAllowed(licenseKey: string, facts: LicenseFacts): Promise<boolean>
  /** Shows the license of a new activation to the rule. Returns a reply if the activation must be undone. */
  lateRejection(licenseKey: string, facts: LicenseFacts): Promise<Reply | null>
}

/** What the rule needs. */
export interface LicenseRuleOptions {
  readonly service: LicenseService
  readonly call: ServiceCall
  readonly allow: AllowRule | null
  readonly clock: () => number
}

export function createLicenseRule({ service, call, allow, clock }: LicenseRuleOptions): LicenseRule {
  const isAllowed = async (licenseKey: string, facts: LicenseFacts): Promise<boolean> => {
    if (allow === null) return true
    return applyRule(allow, servedOf(service, licenseOf(licenseKey, facts, clock()), facts))
  }

  return {
    isAllowed,

    async judge(licenseKey) {
      if (allow === null || service.showLicense === undefined) return { kind: 'allowed' }
      const shown = await service.showLicense({ licenseKey }, call)
      if (shown.kind === 'unavailable') {
        return isUnfindable(shown)
          ? { kind: 'unseen', refusal: null }
          : { kind: 'rejected', reply: replyOfUnavailable(shown) }
      }
      const facts = shown.kind === 'answer' ? shown.value : shown.license
      if (facts === null) return { kind: 'unseen', refusal: shown.kind === 'refusal' ? shown : null }
      return (await isAllowed(licenseKey, facts))
        ? { kind: 'allowed' }
        : { kind: 'rejected', reply: notAllowed }
    },

    async lateRejection(licenseKey, facts) {
      if (allow === null) return null
      // The license itself couldn't be read.
      if (facts.status === null) return refused(502, 'upstream-unexpected-answer')
      try {
        return (await isAllowed(licenseKey, facts)) ? null : notAllowed
      } catch (error) {
        return internalFailure(error)
      }
    },
  }
}

/** Returns the license that the rules of the vendor get. */
export function servedOf(
  { name }: LicenseService,
  license: License,
  { product }: LicenseFacts,
): ServedLicense {
  const { plan = null, features = [] } = license
  return { ...license, service: name, product, plan, features }
}
