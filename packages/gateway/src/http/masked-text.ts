/** Long enough for any message that is of use. */
const longestText = 300
/** Matching takes the square of this. */
const longestInput = 2_000

/** An email address, or the name and password in a URL. */
const personal = /[^\s/"'`<>()]+@[^\s/"'`<>()]+/gu
/** Keys, tokens and ids. Names in code rarely contain a digit, and none is that long. */
const secretLike = /(?=[\w+=~-]*\d)[\w+=~-]{16,}|[\w+=~-]{40,}/gu

/** Returns the first and last four characters of an ID; only `…` if it has fewer than 16, `null` if it is empty. */
export function masked(id: string): string | null {
  if (id === '') return null
  // Eight characters would reveal most of a short license key.
  return id.length < 16 ? '…' : `${id.slice(0, 4)}…${id.slice(-4)}`
}

/**
 * Returns a text that may contain secrets, such as an error's message, in one line for the log.
 *
 * @param ids IDs of the request. Anything else that looks like a key, an ID or an address is masked, too.
 */
export function maskedText(text: string, ids: readonly string[]): string {
  let shown = text.slice(0, longestInput)
  const known = ids.filter((id) => id !== '').sort((one, other) => other.length - one.length)
  for (const id of known) shown = shown.replaceAll(anyCase(id), () => masked(id) ?? '')
  shown = shown
    .replaceAll(personal, '…')
    .replaceAll(secretLike, (word) => masked(word) ?? '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return shown.length > longestText ? `${shown.slice(0, longestText)}…` : shown
}

function anyCase(id: string): RegExp {
  return new RegExp(id.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'), 'giu')
}
