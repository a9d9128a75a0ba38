import { createHash, createPublicKey, KeyObject, randomFillSync, verify } from 'node:crypto'
import type { WebCrypto } from '@latchkey/services'

/**
 * The part of Web Crypto that adapters use, with Node's own crypto. Web Crypto passes each step to another thread, and the
 * launch would have to wait for all of them. Electron before 28 has no global Web Crypto in its main process.
 */
export const nodeCrypto: WebCrypto = {
  getRandomValues: (array) => randomFillSync(array),
  subtle: {
    async digest(_algorithm, data) {
      return Uint8Array.from(createHash('sha256').update(data).digest()).buffer
    },
    async importKey(_format, keyData) {
      const x = Buffer.from(keyData).toString('base64url')
      return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    },
    async verify(_algorithm, key, signature, data) {
      return key instanceof KeyObject && verify(null, data, key, signature)
    },
  },
}
