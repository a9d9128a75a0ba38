import { type License, readFeatures, readPlan } from '@latchkey/commerce'
import type { ServedLicense } from './allow-rule.ts'

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
}

/**
 * How long plan and features may be together, in bytes of JSON. They are part of a response header, and many reverse
 * proxies refuse headers above 4 kB.
 */
export const longestTerms = 2_000

/** Returns a license with the plan and features that apps get. Rejects if a rule does. */
export async function withTerms(
  license: License,
  served: ServedLicense,
  rules: TermsRules,
): Promise<LicenseWithTerms> {
  const { plan: _, features: __, ...facts } = license
  const [named, listed]: readonly unknown[] = await Promise.all([
    rules.plan?.(served),
    rules.features?.(served),
  ])
  const plan = rules.plan === undefined ? license.plan : (readPlan(named) ?? null)
  const given = rules.features === undefined ? license.features : listed
  const features =
    given === undefined && rules.features === undefined ? undefined : fitting(readFeatures(given) ?? [], plan)
  return {
    license: { ...facts, ...(plan !== undefined && { plan }), ...(features !== undefined && { features }) },
    isCut: features !== undefined && (!Array.isArray(given) || new Set(given).size !== features.length),
  }
}

function fitting(features: readonly string[], plan: string | null | undefined): readonly string[] {
  let count = features.length
  while (count > 0 && bytesOf([plan, features.slice(0, count)]) > longestTerms) count -= 1
  return features.slice(0, count)
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}
