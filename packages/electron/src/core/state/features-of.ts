import { readFeatures } from '@latchkey/commerce'
import type { LicenseTerms } from '../licensing-core.ts'
import type { Logger } from '../ports/logger-port.ts'
import type { LicenseFacts } from '../record/vault.ts'

/** Returns the features of a license. */
export type FeaturesOf = (license: LicenseFacts) => readonly string[]

/**
 * Creates the function that decides which features a license includes: those that the service reported, or what the app's
 * own rule makes of the license. The rule is called once for each answer. If it fails, there are no features.
 */
export function createFeaturesOf(
  rule: ((license: LicenseTerms) => readonly string[]) | undefined,
  logger: Logger,
): FeaturesOf {
  const known = new WeakMap<LicenseFacts, readonly string[]>()
  return (license) => {
    const { plan = null, features = [], activationLimit, expiresAt } = license
    if (rule === undefined) return features
    const earlier = known.get(license)
    if (earlier !== undefined) return earlier
    let read: readonly string[] = []
    try {
      const told = readFeatures(rule({ plan, features, activationLimit, expiresAt }))
      if (told === undefined) throw new TypeError('it must return an array of text')
      read = told
    } catch (error) {
      logger.error(`The option features failed, so no feature is available: ${error}`)
    }
    known.set(license, read)
    return read
  }
}
