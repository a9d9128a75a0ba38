/** Schemes whose pages are never an app's own, whoever asks for it. */
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
 * The origin a text names, as `scheme://host[:port]`; `null` when it names none that may be trusted. Also for an
 * app's own scheme, for which `URL.origin` says nothing.
 */
export function originOf(text: string): string | null {
  const url = parseUrl(text)
  // Somebody who writes a star hopes for a pattern, and would get one host of that odd name.
  if (url === null || url.host.includes('*') || hasMore(url) || isExposed(url)) return null
  return urlOrigin(url)
}

/** The origin of a page's address, on the same terms; path and query may be anything. */
export function pageOrigin(url: URL): string | null {
  return url.username === '' && url.password === '' ? urlOrigin(url) : null
}

/** The origin of a dev server a tool named in the environment; `null` when it named none. */
export function devServerOrigin(address: string | undefined): string | null {
  const url = parseUrl(address ?? '')
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? pageOrigin(url) : null
}

/** A parsed address, or `null`. */
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

/** Plain http: anyone on the way could put a page of their own in its place. */
function isExposed({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Whether a host is this computer, by any of its names. The URL parser has brought IPv4 addresses into one form. */
export function isThisMachine(hostname: string): boolean {
  return (
    ['localhost', '[::1]'].includes(hostname) ||
    hostname.endsWith('.localhost') ||
    /^127\.\d+\.\d+\.\d+$/u.test(hostname)
  )
}
