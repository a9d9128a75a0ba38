/** Schemes that are never trusted, even if the developer lists them. */
const refusedSchemes: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome-extension:',
  'chrome:',
  'data:',
  'devtools:',
  'file:',
  'filesystem:',
  'ftp:',
  'javascript:',
  'view-source:',
  'ws:',
  'wss:',
])

/**
 * Returns the origin in a text, as `scheme://host[:port]`; `null` if it has none that may be trusted. Also works for an
 * app's own scheme, for which `URL.origin` returns "null".
 */
export function originOf(text: string): string | null {
  const url = parseUrl(text)
  // A wildcard isn't supported: it would only match a host with that literal name.
  if (url === null || url.host.includes('*') || hasMore(url) || isExposed(url)) return null
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
  return refusedSchemes.has(protocol) || host === '' ? null : `${protocol}//${host.toLowerCase()}`
}

function hasMore(url: URL): boolean {
  const isBare = url.pathname === '' || url.pathname === '/'
  return !isBare || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== ''
}

/** Whether it is plain http, where anyone on the network path could replace the page. */
function isExposed({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Whether a host is this computer, under any of its names. The URL parser has normalized IPv4 addresses. */
export function isThisMachine(hostname: string): boolean {
  return (
    ['localhost', '[::1]'].includes(hostname) ||
    hostname.endsWith('.localhost') ||
    /^127\.\d+\.\d+\.\d+$/u.test(hostname)
  )
}
