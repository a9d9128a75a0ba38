/** The message of each {@link CommerceErrorCode}: what happened, and what to do next. */
export const commerceErrorMessages = {
  unreachable: 'The commerce service could not be reached; try again later',
  'unexpected-answer':
    'The answer did not come from the commerce service; check for a proxy or a login page on the network',
  unauthorized: 'The commerce service refused the access token; check that it is set and still valid',
  'not-found': 'The commerce service found nothing at this address; check the id and the base URL',
  rejected: 'The commerce service refused the request; the operation is not possible now',
  cancelled: 'The caller canceled the request',
  'invalid-argument': 'The request was not sent because an argument is invalid',
  'untrusted-link': 'The link to the next page is outside the base URL and was not followed',
} as const

/**
 * Why a call failed.
 *
 * - `unreachable`: no network, timeout, TLS, or an answer 408, 425, 429 or 5xx.
 * - `unexpected-answer`: a 2xx without the documented body, a redirect, or a body over the size limit.
 * - `unauthorized`: 401, 403 or 407.
 * - `not-found`: 404 or 410.
 * - `rejected`: any other 4xx, such as 400, 409 and 422.
 * - `cancelled`: the caller's signal was aborted.
 * - `invalid-argument`: an argument is invalid, so nothing was sent.
 * - `untrusted-link`: a page's `links.next` points outside the base URL and contains no page number.
 */
export type CommerceErrorCode = keyof typeof commerceErrorMessages
