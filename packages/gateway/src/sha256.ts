import { base64url } from 'jose'

const encoder = new TextEncoder()

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

/** Returns the SHA-256 of a string as base64url. */
export async function sha256(text: string): Promise<string> {
  return base64url.encode(await digest(text))
}

/** Returns the SHA-256 of a string in hex. */
export async function sha256Hex(text: string): Promise<string> {
  return Array.from(await digest(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
