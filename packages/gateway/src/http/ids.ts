/** Matches a UUID in upper or lower case, inside a route pattern. */
export const uuidPattern = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'

/** Matches a string that is exactly a UUID. */
export const uuidOnly: RegExp = new RegExp(`^${uuidPattern}$`)

/** Maximum length of a license key or ID that isn't a UUID, in UTF-8 bytes. Keygen's signed keys have a few hundred. */
const maxIdBytes = 2048

/**
 * Matches an ID that isn't a UUID in a path: `~` and its base64url. The path then has no character that a proxy could
 * decode or normalize.
 */
export const encodedIdPattern: string = `~[A-Za-z0-9_-]{2,${Math.ceil((maxIdBytes * 4) / 3)}}`

/** One line of text, without control characters. */
export const idOnly: RegExp = /^[^\p{Cc}\u2028\u2029]{1,2048}$/u

/** Reads an ID from a path; `null` if it is invalid or not encoded as described at {@link encodedIdPattern}. */
export function readPathId(text: string): string | null {
  if (!text.startsWith('~')) return text
  try {
    const binary = atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const id = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    // Only one spelling per ID is accepted, so that a proxy's logs and limits count it once.
    return idOnly.test(id) && pathIdOf(id) === text ? id : null
  } catch {
    return null
  }
}

/** Encodes an ID for a path. */
export function pathIdOf(id: string): string {
  if (uuidOnly.test(id)) return id
  const binary = Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join('')
  return `~${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
