import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

/** Signs one response: https://keygen.sh/docs/api/signatures/#response-signatures */
export interface KeygenSigner {
  /** 64 hex digits: an option of the adapter. */
  readonly publicKey: string
  /** The headers for a response with this body and date. */
  headersFor(response: SignedParts): Record<string, string>
}

/** The signed parts of a response. */
export interface SignedParts {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without a port. */
  readonly host: string
  readonly date: string
  readonly body: string
}

/** PKCS #8 prefix of a raw Ed25519 seed: https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * @param account the account's ID, which the header names.
 * @param seed 32 bytes.
 */
export function createKeygenSigner(account: string, seed: Uint8Array): KeygenSigner {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
  return {
    publicKey,
    headersFor({ method, target, host, date, body }) {
      const digest = `sha-256=${createHash('sha256').update(body).digest('base64')}`
      const signed = [
        `(request-target): ${method.toLowerCase()} ${target}`,
        `host: ${host}`,
        `date: ${date}`,
        `digest: ${digest}`,
      ].join('\n')
      const signature = sign(null, Buffer.from(signed), key).toString('base64')
      const covered = '(request-target) host date digest'
      return {
        'keygen-signature': `keyid="${account}", algorithm="ed25519", signature="${signature}", headers="${covered}"`,
        digest,
        'keygen-date': date,
        'keygen-digest': digest,
      }
    },
  }
}
