import type { BaseUrl } from './base-url.ts'
import { CommerceError } from './commerce-error.ts'
import type { Operation } from './operation.ts'

/**
 * Where `links.next` leads, if that is inside the client's own base URL. Anywhere else the access token must not go.
 *
 * @param currentUrl the page the link stands on, for a link that is relative.
 * @throws {CommerceError} `untrusted-link`
 */
export function trustedNextUrl(
  next: string,
  currentUrl: string,
  baseUrl: BaseUrl,
  operation: Operation,
): string {
  const url = parse(next, currentUrl)
  if (url === null) throw new CommerceError('untrusted-link', { operation, hint: 'it is no URL' })
  if (url.origin !== baseUrl.origin) {
    throw new CommerceError('untrusted-link', { operation, hint: 'it names another scheme, host or port' })
  }
  if (url.username !== '' || url.password !== '') {
    throw new CommerceError('untrusted-link', { operation, hint: 'it holds credentials' })
  }
  if (!url.pathname.startsWith(`${baseUrl.path}/`)) {
    throw new CommerceError('untrusted-link', { operation, hint: 'it leaves the base path' })
  }
  return url.href
}

// URL.canParse is younger than the oldest runtime we serve.
function parse(link: string, base: string): URL | null {
  try {
    return new URL(link, base)
  } catch {
    return null
  }
}
