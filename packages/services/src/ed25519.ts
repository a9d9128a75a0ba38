import type { WebCrypto } from './license-service.ts'

/**
 * Whether a text, or bytes, have a valid Ed25519 signature.
 *
 * @param publicKey the raw key.
 * @returns also `false` for a key that is none, and on a platform without Ed25519.
 */
export async function isSignedBy(
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  signed: string | Uint8Array<ArrayBuffer>,
  { subtle }: Pick<WebCrypto, 'subtle'>,
): Promise<boolean> {
  try {
    const key = await subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
    const bytes = typeof signed === 'string' ? new TextEncoder().encode(signed) : signed
    return await subtle.verify('Ed25519', key, signature, bytes)
  } catch {
    return false
  }
}
