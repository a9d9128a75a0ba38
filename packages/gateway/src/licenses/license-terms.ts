import { type License, readFeatures, readPlan } from '@latchkey/commerce'
import type { ServedLicense } from './allow-rule.ts'
import { callRule, kindOf, RuleError } from './rule-error.ts'

/** The vendor's own rules about what a license includes. */
export interface TermsRules {
  /** @default the plan that the service reports */
  readonly plan?: PlanRule | undefined
  /** @default the features that the service reports */
  readonly features?: FeaturesRule | undefined
}

/** Names a license's plan; `null` for none. */
export type PlanRule = (license: ServedLicense) => string | null | Promise<string | null>

/** Lists what a license includes. */
export type FeaturesRule = (license: ServedLicense) => readonly string[] | Promise<readonly string[]>

/** A license with its plan and features. */
export interface LicenseWithTerms {
  readonly license: License
  /** Whether some features were left out, because there are too many, or they are too long or no text. */
  readonly isCut: boolean
  /** What to log: a rule returned `undefined`, or a list with something else than texts. */
  readonly detail?: string
}

/**
 * How long plan and features may be together, in bytes of JSON. They are part of a response header, and many reverse
 * proxies refuse headers above 4 kB.
 */
export const longestTerms = 2_000

/**
 * Returns a license with the plan and features that apps get.
 *
 * @throws {RuleError} if a rule throws or returns a value of the wrong type. Reading that as no features would take all
 * of them away from every customer.
 */
export async function withTerms(
  license: License,
  served: ServedLicense,
  rules: TermsRules,
): Promise<LicenseWithTerms> {
  const { plan: _, features: __, ...facts } = license
  const [named, listed] = await Promise.all([
    rules.plan && callRule('plan', rules.plan, served),
    rules.features && callRule('features', rules.features, served),
  ])
  const oddities = [
    ...(rules.plan !== undefined && named === undefined ? [planMissing] : []),
    ...(rules.features !== undefined && listed === undefined ? [featuresMissing] : []),
    ...oddEntry(rules.features === undefined ? undefined : listed),
  ]
  const plan = rules.plan === undefined ? license.plan : planOf(named)
  const given = rules.features === undefined ? license.features : featuresOf(listed)
  const features = given === undefined ? undefined : fitting(readFeatures(given) ?? [], plan)
  return {
    license: { ...facts, ...(plan !== undefined && { plan }), ...(features !== undefined && { features }) },
    isCut: features !== undefined && new Set(given).size !== features.length,
    ...(oddities.length > 0 && { detail: oddities.join(' ') }),
  }
}

const planMissing = 'rule plan: returned undefined, so the license has no plan. Return null for none.'
const featuresMissing =
  'rule features: returned undefined, so the license has no features. Return [] for none.'

// A rule in JavaScript may return anything. A table often has no entry for a product, so `undefined` is none, with a
// warning: as an error, it would lock that product's customers out.

function planOf(result: unknown): string | null {
  const isPlan = typeof result === 'string' || result === undefined || result === null
  if (!isPlan) throw new RuleError('plan', `returned ${kindOf(result)} instead of a text, or null for none`)
  return readPlan(result) ?? null
}

function featuresOf(result: unknown): readonly unknown[] {
  if (result === undefined || result === null) return []
  if (Array.isArray(result)) return result
  throw new RuleError('features', `returned ${kindOf(result)} instead of a list of texts`)
}

/** Says which entry of a list is no text. It is left out. */
function oddEntry(listed: unknown): readonly string[] {
  if (!Array.isArray(listed)) return []
  const place = listed.findIndex((entry) => typeof entry !== 'string')
  if (place < 0) return []
  return [`rule features: entry ${place} is ${kindOf(listed[place])} instead of a text, and is left out.`]
}

function fitting(features: readonly string[], plan: string | null | undefined): readonly string[] {
  let count = features.length
  while (count > 0 && bytesOf([plan, features.slice(0, count)]) > longestTerms) count -= 1
  return features.slice(0, count)
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
