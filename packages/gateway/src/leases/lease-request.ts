/** What a client says about the lease it wants. */
export interface LeaseRequest {
  /** What the lease has to repeat, so that it answers this request and no other. */
  readonly nonce: string
  /** Ids of the keys the client trusts; empty when it did not say. */
  readonly trustedKeyIds: readonly string[]
}

/** The request header that asks for a lease and holds its nonce. */
export const nonceHeader = 'latchkey-nonce'

/** The request header that names the keys the client trusts: key ids, separated by commas. */
export const trustedKeysHeader = 'latchkey-lease-keys'

/** The response header a lease comes in. */
export const leaseHeader = 'latchkey-lease'

const noncePattern = /^[A-Za-z0-9_-]{22,128}$/
const keyIdPattern = /^[A-Za-z0-9_-]{43}$/
const maxTrustedKeys = 8

/** @returns `null` when no lease is wanted, `'invalid'` when the nonce is none. */
export function readLeaseRequest(headers: Headers): LeaseRequest | 'invalid' | null {
  const nonce = headers.get(nonceHeader)
  if (nonce === null) return null
  if (!noncePattern.test(nonce)) return 'invalid'
  const trustedKeyIds = (headers.get(trustedKeysHeader) ?? '')
    .split(',', maxTrustedKeys)
    .map((keyId) => keyId.trim())
    .filter((keyId) => keyIdPattern.test(keyId))
  return { nonce, trustedKeyIds }
}
