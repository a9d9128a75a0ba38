import { CommerceError } from '../errors/commerce-error.ts'
import type { Operation } from '../errors/operation.ts'
import type { ClientSettings } from './client-options.ts'

const ownHeaders = ['authorization', 'content-type', 'accept']
// As specified by RFC 9110. `new Headers()` would also check it, but makes Node load its own `fetch`.
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headerValue = /^[^\0\r\n\u0100-\uffff]*$/

/**
 * Returns the headers of one request: the caller's, and the interface's own, which are the same on every request.
 *
 * @throws {CommerceError} `invalid-argument` without the header's value.
 */
export function requestHeaders(
  settings: ClientSettings,
  operation: Operation,
  extra: Record<string, string> = {},
): Record<string, string> {
  const headers = callerHeaders(extra, operation)
  headers['content-type'] = 'application/json'
  headers['accept'] = 'application/json'
  if (settings.accessToken !== undefined) headers['authorization'] = `Bearer ${settings.accessToken}`
  if (settings.userAgent !== undefined) headers['user-agent'] = settings.userAgent
  return headers
}

function callerHeaders(extra: Record<string, string>, operation: Operation): Record<string, string> {
  const headers = Object.entries(extra).map(([givenName, givenValue]) => {
    const name = givenName.toLowerCase()
    const value = String(givenValue).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
    if (ownHeaders.includes(name)) {
      throw new CommerceError('invalid-argument', { operation, hint: `the client sets ${name} itself` })
    }
    if (!headerName.test(name) || !headerValue.test(value)) {
      throw new CommerceError('invalid-argument', {
        operation,
        hint: 'a header contains characters that HTTP cannot carry',
      })
    }
    return [name, value] as const
  })
  return Object.fromEntries(headers)
}
