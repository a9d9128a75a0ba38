import type { ClientSettings } from './client-options.ts'
import { CommerceError } from './commerce-error.ts'
import type { Operation } from './operation.ts'

const ownHeaders = ['authorization', 'content-type', 'accept']

/**
 * Returns the headers of one request: the caller's, and the interface's own, which are the same on every request.
 *
 * @throws {CommerceError} `invalid-argument` without the header's value.
 */
export function requestHeaders(
  settings: ClientSettings,
  operation: Operation,
  extra: Record<string, string> | undefined,
): Headers {
  const headers = extra === undefined ? new Headers() : callerHeaders(extra, operation)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json')
  if (settings.accessToken !== undefined) headers.set('authorization', `Bearer ${settings.accessToken}`)
  if (settings.userAgent !== undefined) headers.set('user-agent', settings.userAgent)
  return headers
}

function callerHeaders(extra: Record<string, string>, operation: Operation): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(extra)) {
    if (ownHeaders.includes(name.toLowerCase())) {
      throw new CommerceError('invalid-argument', {
        operation,
        hint: `the client sets ${name.toLowerCase()} itself`,
      })
    }
    try {
      headers.set(name, value)
    } catch {
      // The platform's error contains the value.
      throw new CommerceError('invalid-argument', {
        operation,
        hint: 'a header contains characters that HTTP cannot carry',
      })
    }
  }
  return headers
}
