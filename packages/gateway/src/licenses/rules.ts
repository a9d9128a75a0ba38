import { type License, readFeatures, readPlan } from '@latchkey/commerce'

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

/** Names a license's plan; `null` for none. */
export type PlanRule = (license: ServedLicense) => string | null | Promise<string | null>

/** Lists what a license includes. */
export type FeaturesRule = (license: ServedLicense) => readonly string[] | Promise<readonly string[]>

/** The vendor's own rules. */
export interface LicenseRules {
  readonly allow?: AllowRule | undefined
  readonly plan?: PlanRule | undefined
  readonly features?: FeaturesRule | undefined
  /** Which devices of a license an app can list. */
  readonly devices?: 'all' | 'own' | undefined
}

/** A rule of the vendor threw, or returned a value of the wrong type. The license keeps what it has. */
export class RuleError extends Error {
  override readonly name = 'RuleError'
  readonly rule: keyof LicenseRules

  /** @param options `cause` is the value that the rule threw. */
  constructor(rule: keyof LicenseRules, problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.rule = rule
  }
}

/**
 * Applies the `allow` rule. Any value that counts as true allows the license, for example a plan's name.
 *
 * @throws {RuleError} if the rule throws, or returns a value that counts as false but isn't `false`, for example because a
 * `return` is missing.
 */
export async function isAllowedBy(allow: AllowRule, license: ServedLicense): Promise<boolean> {
  const isAllowed: unknown = await callRule('allow', allow, license)
  // Reading that as a refusal would revoke every customer.
  if (!isAllowed && isAllowed !== false) {
    throw new RuleError('allow', `returned ${kindOf(isAllowed)} instead of true or false`)
  }
  return isAllowed !== false
}

/** A license with its plan and features. */
export interface LicenseWithTerms {
  readonly license: License
  /** Whether some features were left out, because there are too many, or they are too long or no text. */
  readonly isCut: boolean
  /** What to log: a rule returned `undefined`, perhaps because a `return` is missing. */
  readonly detail: string | null
}

/**
 * How long plan and features may be together, in bytes of JSON. They are part of a response header, and many reverse
 * proxies refuse headers above 4 kB.
 */
const longestTerms = 2_000

/**
 * Returns a license with the plan and features that apps get.
 *
 * @throws {RuleError} if a rule throws or returns a value of the wrong type. Reading that as no features would take all
 * of them away from every customer.
 */
export async function withTerms(
  license: License,
  served: ServedLicense,
  rules: Pick<LicenseRules, 'plan' | 'features'>,
): Promise<LicenseWithTerms> {
  const { plan: ownPlan, features: ownFeatures, ...facts } = license
  const undefinedRules: string[] = []
  /** A table often has no entry for a product, so `undefined` is none: as an error, it would lock its customers out. */
  async function ask(name: 'plan' | 'features', rule: PlanRule | FeaturesRule): Promise<unknown> {
    const result = await callRule<unknown>(name, rule, served)
    if (result === undefined) undefinedRules.push(`rule ${name}: returned undefined, which counts as none.`)
    return result ?? null
  }
  const [plan, given] = await Promise.all([
    rules.plan === undefined ? ownPlan : ask('plan', rules.plan).then(planOf),
    rules.features === undefined ? ownFeatures : ask('features', rules.features).then(featuresOf),
  ])
  const features = given === undefined ? undefined : fitting(readFeatures(given) ?? [], plan)
  return {
    license: { ...facts, ...(plan !== undefined && { plan }), ...(features !== undefined && { features }) },
    isCut: features !== undefined && new Set(given).size !== features.length,
    detail: undefinedRules.length > 0 ? undefinedRules.toSorted().join(' ') : null,
  }
}

function planOf(result: unknown): string | null {
  const isPlan = typeof result === 'string' || result === null
  if (!isPlan) throw new RuleError('plan', `returned ${kindOf(result)} instead of a text, or null for none`)
  return readPlan(result) ?? null
}

function featuresOf(result: unknown): readonly unknown[] {
  if (result === null || Array.isArray(result)) return result ?? []
  throw new RuleError('features', `returned ${kindOf(result)} instead of a list of texts`)
}

function fitting(features: readonly string[], plan: string | null | undefined): readonly string[] {
  const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length
  let count = features.length
  while (count > 0 && bytesOf([plan, features.slice(0, count)]) > longestTerms) count -= 1
  return features.slice(0, count)
}

/** The rule may use a client of the service itself, whose error must not be read as the service's answer. */
async function callRule<Result>(
  name: keyof LicenseRules,
  rule: (served: ServedLicense) => Result,
  served: ServedLicense,
): Promise<Awaited<Result>> {
  try {
    return await rule(served)
  } catch (cause) {
    throw new RuleError(name, 'threw an error', { cause })
  }
}

/** Returns the type of a rule's result for a message, which must not show the result itself. */
function kindOf(result: unknown): string {
  if (result === undefined || result === null) return String(result)
  if (Array.isArray(result)) return 'a list'
  return typeof result === 'object' ? 'an object' : `a ${typeof result}`
}
