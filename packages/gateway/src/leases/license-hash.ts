import { sha256 } from '../sha256.ts'

/** Returns the `lid` of a lease: the license key's SHA-256 as base64url. Commerce UUIDs must be lowercase. */
export function licenseHash(licenseId: string): Promise<string> {
  return sha256(licenseId)
}
