import type { IncomingHttpHeaders } from 'node:http'

/** What to do if requests come through proxies that the gateway doesn't trust. */
export const untrustedProxyHint =
  'A request has a header of a reverse proxy, but the gateway trusts no proxy, so all clients behind one share a limit. If your own reverse proxies are in front of the gateway, set LATCHKEY_TRUSTED_PROXIES (the option trustedProxies) to their number. If there are none, a client sent the header, and you can ignore this.'

/** Returns a function that looks at each request, and warns once if one seems to come through a reverse proxy. */
export function createProxyHint(warn: (sentence: string) => void): (headers: IncomingHttpHeaders) => void {
  let hasWarned = false
  return (headers) => {
    if (hasWarned || (headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined)) return
    hasWarned = true
    try {
      warn(untrustedProxyHint)
    } catch {
      // The warning itself failed, so there is no place to report it.
    }
  }
}
