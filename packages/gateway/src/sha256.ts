import { base64url } from 'jose'

const encoder = new TextEncoder()

/** base64url of the SHA-256 of a text. */
export async function sha256(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))))
}
