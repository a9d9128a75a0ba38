/**
 * Maximum length of a name that an app sends to Lemon Squeezy or Dodo, in UTF-16 units. An app can't list activations
 * there, so a fingerprint that is cut off costs no seat, and people read the longer name. Where activations are listed,
 * names have at most 32 characters: see `composeKeyName` of `@latchkey/commerce`.
 */
const maxNameLength = 64

/**
 * Returns `<device name> [<fingerprint>]`, for a service that only stores names. A long device name is shortened, so
 * that the whole has at most 64 characters.
 *
 * @param deviceName the device's readable name.
 * @param fingerprint 16 hex digits.
 */
export function composeActivationName(deviceName: string, fingerprint: string): string {
  const mark = `[${fingerprint}]`
  const room = maxNameLength - mark.length - 1
  const shown = deviceName.trim().slice(0, room)
  // Removes half of a surrogate pair, such as of an emoji.
  const name = shown.replace(/[\uD800-\uDBFF]$/u, '').trim()
  return name === '' ? mark : `${name} ${mark}`
}

/**
 * Parses a name that {@link composeActivationName} returned. A device name may contain brackets, so the last pair
 * counts.
 *
 * @returns the whole name without a fingerprint, which is then `null`, if Latchkey didn't compose it.
 */
export function parseActivationName(name: string): {
  readonly deviceName: string
  readonly fingerprint: string | null
} {
  const text = name.trim()
  const start = Math.max(0, text.lastIndexOf('['))
  const last = text.slice(start)
  return /^\[[\da-f]{16}\]$/iu.test(last)
    ? { deviceName: text.slice(0, start).trimEnd(), fingerprint: last.slice(1, -1).toLowerCase() }
    : { deviceName: text, fingerprint: null }
}
