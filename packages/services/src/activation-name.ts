import { composeKeyName, parseKeyName } from '@latchkey/commerce'

/**
 * Maximum length of a name that an app sends to Lemon Squeezy or Dodo, in UTF-16 units. An app can't list activations
 * there, so a fingerprint that is cut off costs no seat, and people read the longer name. Where activations are listed,
 * names have at most 32 characters: see `composeKeyName` of `@latchkey/commerce`.
 */
const maxNameLength = 64

/**
 * Returns `<device name> [<fingerprint>]`, for a service that only stores names. In a long device name, the middle becomes
 * `…`, so that the whole has at most 64 characters.
 *
 * @param deviceName the device's readable name.
 * @param fingerprint 16 hex digits.
 */
export function composeActivationName(deviceName: string, fingerprint: string): string {
  return composeKeyName(deviceName, fingerprint, maxNameLength)
}

/**
 * Parses a name that {@link composeActivationName} returned. A device name may contain brackets, so the last pair with a
 * fingerprint in it counts.
 *
 * @returns the whole name without a fingerprint, which is then `null`, if Latchkey didn't compose it.
 */
export function parseActivationName(name: string): {
  readonly deviceName: string
  readonly fingerprint: string | null
} {
  const { label, fingerprint } = parseKeyName(name)
  return { deviceName: label, fingerprint }
}
