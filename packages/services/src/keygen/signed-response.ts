import { httpDateMs } from '@latchkey/commerce/http'
import { decodeBytes } from '../base64url.ts'
import { isSignedBy } from '../ed25519.ts'
import type { WebCrypto } from '../license-service.ts'
import type { Reply } from '../request.ts'

/** A response with everything its signature covers: https://keygen.sh/docs/api/signatures/#response-signatures */
export interface SignedResponse {
  readonly method: string
  /** The path and query of the request. */
  readonly target: string
  /** The host name without a port. */
  readonly host: string
  readonly date: string
  readonly body: string
  /** Base64. */
  readonly signature: string
}

/**
 * Returns the signed parts of a reply; `null` if it has no Ed25519 signature.
 *
 * @param url the address of the request, with its query.
 */
export function signedResponseOf({ request, headers, text }: Reply, url: string): SignedResponse | null {
  const signature = headers.get('keygen-signature') ?? ''
  const value = /(?:^|[\s,])signature="([^"]+)"/u.exec(signature)?.[1]
  // Some proxies replace the Date header, so the server also sends the signed date as Keygen-Date.
  const date = headers.get('keygen-date') ?? headers.get('date')
  if (value === undefined || date === null || !/algorithm="ed25519"/u.test(signature)) return null
  const { pathname, search, hostname } = new URL(url)
  const method = request.method.toLowerCase()
  return { method, target: pathname + search, host: hostname, date, body: text ?? '', signature: value }
}

/** When it was signed, in milliseconds since the epoch. Only trust it if {@link isSigned} is true. */
export function signedAtMs({ date }: SignedResponse): number | null {
  return httpDateMs(date)
}

/** Whether the response has a valid signature of the account's key. */
export async function isSigned(
  { method, target, host, date, body, signature }: SignedResponse,
  publicKey: string,
  crypto: WebCrypto,
): Promise<boolean> {
  const bytes = decodeBytes(signature)
  if (bytes === null) return false
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))
  const lines = [
    `(request-target): ${method} ${target}`,
    `host: ${host}`,
    `date: ${date}`,
    `digest: sha-256=${btoa(String.fromCharCode(...digest))}`,
  ]
  const key = Uint8Array.from(publicKey.match(/../gu) ?? [], (byte) => Number.parseInt(byte, 16))
  return isSignedBy(key, bytes, lines.join('\n'), crypto)
}
