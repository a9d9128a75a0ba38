import { findLicenseKeys, maskLicenseKey } from '../../shared/license-key-text.ts'
import type { KeyChoice } from './situation.ts'

/** The keys of a text that holds several. The screen shows them masked; whole they stay in here. */
export interface KeyChoices {
  /** Takes the keys of a text in place of those before. @returns what the user chooses from */
  take(text: string): readonly KeyChoice[]
  /** The whole key of a choice. */
  licenseKeyOf(id: string): string | undefined
  clear(): void
}

/** Makes an empty set of choices. */
export function createKeyChoices(): KeyChoices {
  let licenseKeys: ReadonlyMap<string, string> = new Map()
  return {
    take: (text) => {
      const found = findLicenseKeys(text).map((key, index) => ({ ...key, id: `key-${index}` }))
      licenseKeys = new Map(found.map(({ id, licenseKey }) => [id, licenseKey]))
      return found.map(({ id, licenseKey, label }) => ({ id, maskedKey: maskLicenseKey(licenseKey), label }))
    },
    licenseKeyOf: (id) => licenseKeys.get(id),
    clear: () => {
      licenseKeys = new Map()
    },
  }
}
