import type { WebCrypto } from './license-service.ts'

/**
 * Whether a text has a valid Ed25519 signature.
 *
 * @param publicKey the raw key.
 * @returns also `false` for a key that is none, and on a platform without Ed25519.
 */
export async function isSignedBy(
  publicKey: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  text: string,
  { subtle }: Pick<WebCrypto, 'subtle'>,
): Promise<boolean> {
  try {
    const key = await subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
    return await subtle.verify('Ed25519', key, signature, new TextEncoder().encode(text))
  } catch {
    return false
  }
}
