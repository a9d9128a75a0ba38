/** Matches a UUID in either letter case, as a part of a route's pattern. */
export const uuidPattern = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'

/** Matches a text that is exactly a UUID. */
export const uuidOnly: RegExp = new RegExp(`^${uuidPattern}$`)

/** Longest license key or id of another form, in bytes of UTF-8. Keygen's signed license keys have a few hundred. */
const maxIdBytes = 2048

/**
 * Matches an id of another form in a path: `~` and the base64url of its UTF-8. A path then has no character that a proxy
 * could decode, fold or cut.
 */
export const encodedIdPattern: string = `~[A-Za-z0-9_-]{2,${Math.ceil((maxIdBytes * 4) / 3)}}`

/** One line of text, without control characters. */
export const idOnly: RegExp = /^[^\p{Cc}\u2028\u2029]{1,2048}$/u

/** Whether two ids are the same. The case of UUIDs doesn't count, that of all others does. */
export function isSameId(one: string, other: string): boolean {
  return one === other || (uuidOnly.test(one) && one.toLowerCase() === other.toLowerCase())
}

/** Reads an id out of a path; `null` if it isn't one, or isn't encoded as {@link encodedIdPattern} says. */
export function readPathId(text: string): string | null {
  if (!text.startsWith('~')) return text
  try {
    const binary = atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const id = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    // Each id has one spelling, so that logs and limits of a proxy count it once.
    return idOnly.test(id) && pathIdOf(id) === text ? id : null
  } catch {
    return null
  }
}

/** Writes an id for a path. */
export function pathIdOf(id: string): string {
  if (uuidOnly.test(id)) return id
  const binary = Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')
  return `~${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
