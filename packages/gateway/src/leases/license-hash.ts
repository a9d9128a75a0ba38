import { sha256 } from '../sha256.ts'

/** The `lid` of a lease: base64url of the SHA-256 of the license key. A UUID of the commerce service is in lower case. */
export function licenseHash(licenseId: string): Promise<string> {
  return sha256(licenseId)
}
