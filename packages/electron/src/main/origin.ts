import { isExposed } from '@latchkey/commerce/options'

/** Schemes that are never trusted, even if the developer lists them. */
const refusedSchemes =
  /^(?:about|blob|chrome|chrome-extension|data|devtools|file|filesystem|ftp|javascript|view-source|wss?):$/u

/**
 * Returns the origin in a text, as `scheme://host[:port]`; `null` if it has none that may be trusted. Also works for an
 * app's own scheme, for which `URL.origin` returns "null".
 */
export function originOf(text: string): string | null {
  const url = parseUrl(text)
  // Anyone on the network path could replace a page over plain http. A wildcard isn't supported: it would only match a host with that literal name.
  if (url === null || url.host.includes('*') || hasMore(url) || isExposed(url.href)) return null
  return urlOrigin(url)
}

/** Returns the origin of a page's address by the same rules. Path and query can be anything. */
export function pageOrigin(url: URL): string | null {
  return url.username === '' && url.password === '' ? urlOrigin(url) : null
}

/** Returns the origin of a dev server from an environment variable; `null` if there is none. */
export function devServerOrigin(address: string | undefined): string | null {
  const url = address === undefined ? null : parseUrl(address)
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? pageOrigin(url) : null
}

/** Parses an address; `null` if it is invalid. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

function urlOrigin({ protocol, host }: URL): string | null {
  return refusedSchemes.test(protocol) || host === '' ? null : `${protocol}//${host.toLowerCase()}`
}

function hasMore(url: URL): boolean {
  const isBare = url.pathname === '' || url.pathname === '/'
  return !isBare || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== ''
}
