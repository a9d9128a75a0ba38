import type { IncomingHttpHeaders } from 'node:http'

/** What is known of a caller: its connection, and what proxies wrote. */
export interface Caller {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingHttpHeaders
}

/**
 * The address a request came from. Every trusted proxy appends the address it was called from to `X-Forwarded-For`, so
 * the entry that counts is found from the right; whatever stands left of it was written by the caller.
 *
 * @param trustedProxies how many proxies of the vendor's own stand in front; with 0 the header is not looked at.
 */
export function forwardedAddress({ socket, headers }: Caller, trustedProxies: number): string | undefined {
  const socketAddress = socket.remoteAddress
  if (trustedProxies === 0) return socketAddress
  const header = headers['x-forwarded-for']
  const forwarded = (Array.isArray(header) ? header.join() : (header ?? ''))
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
  const address = forwarded.at(-trustedProxies) ?? forwarded[0] ?? socketAddress
  // An address is short; anything else must not become a long key in somebody's store.
  return address?.slice(0, 64)
}
