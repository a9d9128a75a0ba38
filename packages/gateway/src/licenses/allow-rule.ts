import type { License } from '@latchkey/commerce'
import { callRule, kindOf, RuleError } from './rule-error.ts'

/**
 * The license passed to your `allow`, `plan`, and `features` rules. Its `id` is the license key, which is a UUID only
 * at the commerce service.
 */
export interface ServedLicense extends License {
  /** The name of the service it is from, such as `polar`; `commerce` for the commerce service. */
  readonly service: string
  /** The service's product ID, or Polar's benefit ID; `null` if the service doesn't report it. */
  readonly product: string | null
  /** Name of the plan, edition, or variant, or its ID if it has no name; `null` if the service doesn't report it. */
  readonly plan: string | null
  /** The features the license includes; empty if the service doesn't report any. */
  readonly features: readonly string[]
}

/** Decides whether the gateway serves a license. */
export type AllowRule = (license: ServedLicense) => boolean | Promise<boolean>

/** The `allow` rule returned no value or an empty one, not `false`. Reading that as a refusal would revoke every customer. */
export class AllowRuleError extends RuleError {
  override readonly name = 'AllowRuleError'

  constructor(result: unknown) {
    super('allow', `returned ${kindOf(result)} instead of true or false`)
  }
}

/**
 * Applies the rule. Any value that counts as true allows the license, for example a plan's name.
 *
 * @throws {RuleError} if the rule throws.
 * @throws {AllowRuleError} if the value counts as false but isn't `false`, for example because a `return` is missing.
 */
export async function applyRule(allow: AllowRule, license: ServedLicense): Promise<boolean> {
  const isAllowed: unknown = await callRule('allow', allow, license)
  if (!isAllowed && isAllowed !== false) throw new AllowRuleError(isAllowed)
  return isAllowed !== false
}
