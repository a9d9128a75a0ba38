/** What each {@link CommerceErrorCode} says: what happened, and what to do next. */
export const commerceErrorMessages = {
  unreachable: 'The commerce service could not be reached; try again later',
  'unexpected-answer':
    'The answer is not what the commerce service sends; look for a proxy or portal in between',
  unauthorized: 'The commerce service refused the access token; check that it is set and still valid',
  'not-found': 'The commerce service knows nothing at this address; check the id and the base URL',
  rejected: 'The commerce service refused the request; what was asked for is not possible now',
  cancelled: 'The request was cancelled by its caller',
  'invalid-argument': 'The request was not sent, for an argument is not usable',
  'untrusted-link': 'The link to the next page leads away from the base URL and was not followed',
} as const

/**
 * Why a call failed.
 *
 * - `unreachable`: no network, timeout, TLS, or an answer 408, 425, 429 or 5xx.
 * - `unexpected-answer`: a 2xx whose body is not the documented one, a redirect, or a body over the size limit.
 * - `unauthorized`: 401, 403 or 407.
 * - `not-found`: 404 or 410.
 * - `rejected`: any other 4xx, such as 400, 409 and 422.
 * - `cancelled`: the caller's signal was aborted.
 * - `invalid-argument`: refused before anything was sent.
 * - `untrusted-link`: a page's `links.next` points outside the base URL and names no page number.
 */
export type CommerceErrorCode = keyof typeof commerceErrorMessages
