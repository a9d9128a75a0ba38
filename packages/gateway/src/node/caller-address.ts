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

const untrustedProxy =
  'A request has a header of a reverse proxy, but the gateway trusts no proxy, so all clients behind one share a limit. If your own reverse proxies are in front of the gateway, set LATCHKEY_TRUSTED_PROXIES (the option trustedProxies) to their number. If there are none, a client sent the header, and you can ignore this.'

function tooFewAddresses(trustedProxies: number, count: number): string {
  const expected = trustedProxies === 1 ? 'has no address' : `has ${count} of ${trustedProxies} addresses`
  return `The X-Forwarded-For header of a request ${expected}, although LATCHKEY_TRUSTED_PROXIES (the option trustedProxies) is ${trustedProxies}. Either a proxy doesn't append to it, so all clients behind it share a limit: with nginx, add proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for. Or there are fewer proxies, so clients can avoid the limit: set their number. If the request didn't come through your proxies, you can ignore this.`
}

/** nginx's most copied lines set `X-Real-IP`, some of them alone. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip']

/** What the hint needs of a request. */
interface Incoming {
  readonly headers: IncomingHttpHeaders
  readonly url?: string | undefined
}

/**
 * Returns a function that looks at each request, and warns once if the number of trusted proxies is probably wrong: it is
 * 0, and a request came through a proxy, or it is higher than the number of addresses that the proxies appended.
 */
export function createProxyHint(
  warn: (sentence: string) => void,
  trustedProxies: number,
): (incoming: Incoming) => void {
  let hasWarned = false

  const problemOf = ({ headers, url }: Incoming): string | null => {
    if (trustedProxies === 0) return proxyHeaders.some((name) => name in headers) ? untrustedProxy : null
    // Platforms check the health of the gateway without the proxy.
    if (url === '/healthz') return null
    const { length } = forwardedAddresses(headers)
    return length < trustedProxies ? tooFewAddresses(trustedProxies, length) : null
  }

  return (incoming) => {
    const problem = hasWarned ? null : problemOf(incoming)
    if (problem === null) return
    hasWarned = true
    try {
      warn(problem)
    } catch {
      // The warning itself failed, so there is no place to report it.
    }
  }
}
