import { CommerceError } from '../errors/commerce-error.ts'
import type { Operation } from '../errors/operation.ts'
import type { BaseUrl } from '../http/base-url.ts'

/**
 * Returns the address of the next page. A link inside the client's own base URL is used as it is. From any other link
 * only the page number is used, with our own base URL: a service behind a TLS proxy writes links with `http:` or an
 * internal host name, and the access token must not be sent there.
 *
 * @param currentUrl address of the current page, for relative links.
 * @throws {CommerceError} `untrusted-link` if the link points elsewhere and contains no page number.
 */
export function trustedNextUrl(
  next: string,
  currentUrl: string,
  baseUrl: BaseUrl,
  operation: Operation,
): string {
  const url = parse(next, currentUrl)
  const doubt = url === null ? 'it is not a URL' : whyForeign(url, baseUrl)
  if (url !== null && doubt === null) return url.href
  const page = url === null ? null : pageNumberOf(url)
  if (page === null)
    throw new CommerceError('untrusted-link', { operation, hint: doubt ?? 'it contains no page number' })
  const own = new URL(currentUrl)
  own.searchParams.set('page', String(page))
  return own.href
}

/** Returns the page number in a link's query, from 1; `null` if there is none. */
export function pageNumberOf(url: URL): number | null {
  const text = url.searchParams.get('page') ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

function whyForeign(url: URL, baseUrl: BaseUrl): string | null {
  if (url.origin !== baseUrl.origin) return 'it has another scheme, host or port'
  if (url.username !== '' || url.password !== '') return 'it contains credentials'
  return url.pathname.startsWith(`${baseUrl.path}/`) ? null : 'it leaves the base path'
}

// URL.canParse is newer than the oldest supported runtime.
function parse(link: string, base: string): URL | null {
  try {
    return new URL(link, base)
  } catch {
    return null
  }
}
