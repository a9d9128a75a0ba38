import { CommerceError } from './commerce-error.ts'

/** Where the service lives: `https://host[:port]/path`, without a trailing slash. */
export interface BaseUrl {
  origin: string
  /** Path of the base, without a trailing slash; empty for the root. */
  path: string
  /** Whether what is sent there can be read on the way: http to another machine. */
  isExposed: boolean
}

/**
 * Takes a base URL apart.
 *
 * The service's own ends with the segment `v1`; a gateway's may not, so nothing is demanded of the path.
 *
 * @throws {CommerceError} `invalid-argument`, without showing the URL: it may hold a password.
 */
export function parseBaseUrl(text: string | URL): BaseUrl {
  const url = parse(String(text))
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused('baseUrl has to start with https:// or http://')
  }
  if (url.username !== '' || url.password !== '') throw refused('baseUrl must hold no user name or password')
  if (/[?#]/.test(String(text))) throw refused('baseUrl must hold no query and no fragment')
  return {
    origin: url.origin,
    path: url.pathname.replace(/\/+$/, ''),
    isExposed: url.protocol === 'http:' && !isLoopback(url.hostname),
  }
}

function parse(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw refused('baseUrl is not a URL such as https://commerce.example/v1')
  }
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    // The URL parser has brought every spelling of an IPv4 address into this form.
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

function refused(hint: string): CommerceError {
  return new CommerceError('invalid-argument', { hint })
}
