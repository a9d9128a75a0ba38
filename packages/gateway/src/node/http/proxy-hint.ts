import type { IncomingHttpHeaders } from 'node:http'
import { forwardedAddresses } from './forwarded-address.ts'

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
