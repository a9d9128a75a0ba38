import { CommerceError } from '../errors/commerce-error.ts'

/** The service's address: `https://host[:port]/path`, without a trailing slash. */
export interface BaseUrl {
  origin: string
  /** Path of the base, without a trailing slash; empty for the root. */
  path: string
  /** Whether data sent there can be read on the network path: http to another machine. */
  isExposed: boolean
}

/**
 * Parses a base URL.
 *
 * The service's own base URL ends with the segment `v1`. A gateway's may not, so any path is accepted.
 *
 * @throws {CommerceError} `invalid-argument`, without showing the URL, because it may contain a password.
 */
export function parseBaseUrl(text: string | URL): BaseUrl {
  const url = parse(String(text))
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused('baseUrl must start with https:// or http://')
  }
  if (url.username !== '' || url.password !== '')
    throw refused('baseUrl must not contain a user name or password')
  if (/[?#]/.test(String(text))) throw refused('baseUrl must not contain a query or a fragment')
  return {
    origin: url.origin,
    path: url.pathname.replace(/\/+$/, ''),
    isExposed: url.protocol === 'http:' && !isLoopback(url.hostname),
  }
}

function parse(text: string): URL {
  if (text === '') throw refused('baseUrl is empty: check where you read it from')
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
    // The URL parser has normalized every spelling of an IPv4 address to this form.
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

function refused(hint: string): CommerceError {
  return new CommerceError('invalid-argument', { hint })
}
