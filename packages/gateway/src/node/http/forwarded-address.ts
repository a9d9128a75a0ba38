import type { IncomingHttpHeaders } from 'node:http'

/** The connection and headers of a request. */
export interface Caller {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingHttpHeaders
}

/**
 * Returns the client address of a request. Each trusted proxy appends the address of its caller to `X-Forwarded-For`,
 * so the client's address is counted from the right. The client could have written any entry further left.
 *
 * @param trustedProxies number of your own proxies in front of the gateway. With 0, the header is ignored.
 */
export function forwardedAddress({ socket, headers }: Caller, trustedProxies: number): string | undefined {
  const socketAddress = socket.remoteAddress
  if (trustedProxies === 0) return socketAddress
  const forwarded = forwardedAddresses(headers)
  const address = forwarded.at(-trustedProxies) ?? forwarded[0] ?? socketAddress
  // The address becomes a key in the limiter's store, so its length is limited.
  return address?.slice(0, 64)
}

/** Returns the addresses in `X-Forwarded-For`, from the client's to that of the last proxy's caller. */
export function forwardedAddresses(headers: IncomingHttpHeaders): readonly string[] {
  const header = headers['x-forwarded-for']
  return (Array.isArray(header) ? header.join() : (header ?? ''))
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
}
