import { parseKeyName } from '@latchkey/commerce'

/** The device fingerprint in a key's name, `<label> [<16 hex digits>]`; `null` when there is none. */
export function keyFingerprint(keyName: string): string | null {
  return parseKeyName(keyName).fingerprint
}
