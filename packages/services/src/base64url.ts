/** Writes text as base64url of its UTF-8. */
export function encodeText(text: string): string {
  return encodeBytes(new TextEncoder().encode(text))
}

/** Writes bytes as base64url. */
export function encodeBytes(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads bytes from base64url; `null` if it is none. */
export function decodeBytes(encoded: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** Reads text from base64url of its UTF-8; `null` if it is neither. */
export function decodeText(encoded: string): string | null {
  const bytes = decodeBytes(encoded)
  if (bytes === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
