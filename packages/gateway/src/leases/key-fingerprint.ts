import { parseKeyName } from '@latchkey/commerce'

/** Returns the device fingerprint in a key's name, `<label> [<16 hex digits>]`; `null` if there is none. */
export function keyFingerprint(keyName: string): string | null {
  return parseKeyName(keyName).fingerprint
}
