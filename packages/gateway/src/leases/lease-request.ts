/** A client's request for a lease. */
export interface LeaseRequest {
  /** Repeated in the lease, which ties the lease to this request. */
  readonly nonce: string
  /** IDs of the keys the client trusts; empty if it didn't send them. */
  readonly trustedKeyIds: readonly string[]
}

/** The request header that requests a lease. Its value is the nonce. */
export const nonceHeader = 'latchkey-nonce'

/** The request header with the IDs of the keys that the client trusts, separated by commas. */
export const trustedKeysHeader = 'latchkey-lease-keys'

/** The response header that contains the lease. */
export const leaseHeader = 'latchkey-lease'

const noncePattern = /^[A-Za-z0-9_-]{22,128}$/
const keyIdPattern = /^[A-Za-z0-9_-]{43}$/
const maxTrustedKeys = 8

/** @returns `null` if no lease is requested, `'invalid'` if the nonce is malformed. */
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
