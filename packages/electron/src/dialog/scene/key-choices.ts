import { findLicenseKeys, maskLicenseKey } from '../../shared/license-key-text.ts'
import type { KeyChoice } from './situation.ts'

/** The keys of a text that contains several. The screen shows them masked. Only this module holds them in full. */
export interface KeyChoices {
  /** Replaces the keys with those of a text. @returns the choices to show to the user */
  take(text: string): readonly KeyChoice[]
  /** Returns the full key of a choice. */
  licenseKeyOf(id: string): string | undefined
  clear(): void
}

/** Creates an empty set of choices. */
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
