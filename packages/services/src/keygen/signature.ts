import * as z from 'zod/mini'
import type { WebCrypto } from '../contract/service-call.ts'
import type { Reply } from '../http/send.ts'
import { httpDateMs } from '../http/server-time.ts'

/** A response with all that its signature covers: https://keygen.sh/docs/api/signatures/#response-signatures */
export interface SignedResponse {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without a port. */
  readonly host: string
  readonly date: string
  readonly body: string
  /** Base64. */
  readonly signature: string
}

const signedResponseSchema: z.ZodMiniType<SignedResponse> = z.object({
  method: z.string(),
  target: z.string(),
  host: z.string(),
  date: z.string(),
  body: z.string(),
  signature: z.string(),
})

/** What a reply says was signed; `null` when it carries no Ed25519 signature. */
export function signedResponseOf({ request, headers, text }: Reply): SignedResponse | null {
  const signature = headers.get('keygen-signature') ?? ''
  const value = /(?:^|[\s,])signature="([^"]+)"/u.exec(signature)?.[1]
  // Some proxies set a Date of their own; the server sends the signed one twice.
  const date = headers.get('keygen-date') ?? headers.get('date')
  if (value === undefined || date === null || !/algorithm="ed25519"/u.test(signature)) return null
  const { pathname, search, hostname } = new URL(request.url)
  const method = request.method.toLowerCase()
  return { method, target: pathname + search, host: hostname, date, body: text, signature: value }
}

/** When it was signed, in milliseconds since the epoch. Covered by the signature, so believe it after {@link isSigned}. */
export function signedAtMs({ date }: SignedResponse): number | null {
  return httpDateMs(date)
}

/** Whether the account's key signed this response. */
export async function isSigned(
  { method, target, host, date, body, signature }: SignedResponse,
  publicKey: string,
  crypto: WebCrypto,
): Promise<boolean> {
  try {
    const encoder = new TextEncoder()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(body)))
    const lines = [
      `(request-target): ${method} ${target}`,
      `host: ${host}`,
      `date: ${date}`,
      `digest: sha-256=${btoa(String.fromCharCode(...digest))}`,
    ]
    const rawKey = Uint8Array.from(publicKey.match(/../gu) ?? [], (byte) => Number.parseInt(byte, 16))
    const key = await crypto.subtle.importKey('raw', rawKey, 'Ed25519', false, ['verify'])
    const bytes = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0))
    return await crypto.subtle.verify('Ed25519', key, bytes, encoder.encode(lines.join('\n')))
  } catch {
    // No Base64, or a platform without Ed25519: nothing is proven.
    return false
  }
}

/** Reads a kept response; `null` when it is none. */
export function parseProof(proof: string): SignedResponse | null {
  try {
    const parsed = signedResponseSchema.safeParse(JSON.parse(proof))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
