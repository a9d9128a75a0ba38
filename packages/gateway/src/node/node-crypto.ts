import { createPrivateKey, createPublicKey, hash, sign } from 'node:crypto'
import type { LeaseCrypto } from '../leases/lease-signers.ts'

/**
 * Node's own cryptography. It returns at once: WebCrypto starts a job in the thread pool for each hash and signature,
 * which takes longer than the work itself.
 */
export const nodeCrypto: LeaseCrypto = {
  // One call, without an object that the garbage collector has to finalize.
  sha256: (text) => hash('sha256', text, 'base64url'),
  importKey({ kty, crv, x, d }) {
    const key = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' })
    // Only the private part signs, so Node doesn't compare the public one.
    if (createPublicKey(key).export({ format: 'jwk' }).x !== x) {
      throw new Error('The public and private parts of the key do not belong together.')
    }
    return (header, claims) => {
      const signed = `${encode(header)}.${encode(claims)}`
      return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
    }
  },
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
