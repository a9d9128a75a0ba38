/** The device fingerprint a key's name ends in, `<label> [<16 hex digits>]`; `null` when it ends otherwise. */
export function keyFingerprint(keyName: string): string | null {
  return /\[([0-9a-f]{16})\]\s*$/.exec(keyName)?.[1] ?? null
}
