import { sha256 } from '../sha256.ts'

/** A UUID has 36 characters and an address fewer. Other license keys can have two thousand. */
const longestStoredKey = 64

/**
 * Returns a key that takes little memory. A part of a string keeps the whole string in memory, for example a client's
 * long `X-Forwarded-For` header, so the key is copied.
 */
export function storedKey(id: string): string | Promise<string> {
  return id.length > longestStoredKey ? sha256(id) : Array.from(id).join('')
}
