import type { BaseUrl } from './base-url.ts'
import { CommerceError } from './commerce-error.ts'
import type { Operation } from './operation.ts'

/**
 * Where `links.next` leads. A link inside the client's own base URL is followed as it is. Of any other only the page
 * number is taken, and the address is built from our own: a service behind a TLS proxy writes links with `http:` or with
 * a host name that only it knows, and the access token must not go there.
 *
 * @param currentUrl the page the link stands on, for a link that is relative.
 * @throws {CommerceError} `untrusted-link` when the link leads elsewhere and names no page.
 */
export function trustedNextUrl(
  next: string,
  currentUrl: string,
  baseUrl: BaseUrl,
  operation: Operation,
): string {
  const url = parse(next, currentUrl)
  const doubt = url === null ? 'it is no URL' : whyForeign(url, baseUrl)
  if (url !== null && doubt === null) return url.href
  const page = url === null ? null : pageNumberOf(url)
  if (page === null)
    throw new CommerceError('untrusted-link', { operation, hint: doubt ?? 'it names no page' })
  const own = new URL(currentUrl)
  own.searchParams.set('page', String(page))
  return own.href
}

/** The page a link names in its query, from 1; `null` when it names none. */
export function pageNumberOf(url: URL): number | null {
  const text = url.searchParams.get('page') ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

function whyForeign(url: URL, baseUrl: BaseUrl): string | null {
  if (url.origin !== baseUrl.origin) return 'it names another scheme, host or port'
  if (url.username !== '' || url.password !== '') return 'it holds credentials'
  return url.pathname.startsWith(`${baseUrl.path}/`) ? null : 'it leaves the base path'
}

// URL.canParse is younger than the oldest runtime we serve.
function parse(link: string, base: string): URL | null {
  try {
    return new URL(link, base)
  } catch {
    return null
  }
}
