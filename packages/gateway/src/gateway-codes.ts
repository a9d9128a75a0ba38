/**
 * Every error code of the gateway, with its description. The body of an error response is only
 * `{ "error": "<code>" }`, or plain text without a code. The service's own error text is never passed on.
 */
export const gatewayCodes = {
  // Not a route of the gateway. Sent as plain text, because apps read a 404 with JSON as an answer about the license.
  'no-such-route': 'Nothing is served at this path, or not for this method.',
  'method-override': 'A header overrides the request method, which is not allowed.',

  // Invalid requests. Nothing was sent to the service.
  'malformed-request': 'The request is not valid HTTP. The connection was closed.',
  'invalid-nonce': 'The latchkey-nonce header must be 22 to 128 base64url characters.',
  'invalid-id': 'The license key or key id in the path is not one.',
  'invalid-body': 'The body must be a JSON object with the fields that this route needs.',
  'json-only': 'The body must be uncompressed JSON with Content-Type: application/json.',
  'body-too-large': 'The body is too large for this route.',
  'no-offline-request':
    'This is not an offline activation request. Send the file, the text, or the QR code that the app shows.',
  'offline-request-torn':
    'A part of the request is missing, or a character is wrong. Copy all of it, or send the file.',
  'offline-request-newer':
    'The request is from a newer app than this gateway supports. The owner of the gateway must update it.',
  'release-code-torn':
    'A part of the release code is missing, or a character is wrong. Copy all of it, or send the file.',
  'release-code-edited':
    'The release code was changed in transit. Send the one that the app shows. Nothing was freed.',
  'release-code-unknown-key':
    "The release code is for another vendor's gateway, or the signing key was replaced. Nothing was freed.",
  'other-site': 'Another site sent this form. Only the page itself may.',
  'too-many-requests':
    'Too many requests for this license or from this address. Retry after the time in the Retry-After header.',

  // Refused by the service
  'not-found': 'The service does not know this license or key.',
  gone: 'The service reports that this license or key no longer exists.',
  rejected: 'The service refused the request.',
  'no-seat-left': 'Every seat of the license is taken.',
  'offline-seat':
    'The device may run without internet until its answer ends. Its release code frees its seat.',
  'wrong-product': 'The license key belongs to another product.',
  'test-license': "The license key was created in the service's test mode.",
  'license-expired': 'The license has ended.',
  'license-suspended': 'The license is suspended.',
  'license-inactive': 'The license is not active.',
  'list-not-allowed': "The service does not allow this gateway's token to list the keys of a license.",
  'list-unreadable': "The service's list of keys can't be read. Apps activate without it.",

  // No usable answer from the service
  'upstream-unauthorized':
    'The service rejects the access token of this gateway. The owner of the gateway must replace it.',
  'upstream-misconfigured':
    'The settings at the service do not work with this gateway. The owner must change them there.',
  'upstream-unexpected-answer':
    'The response is not from the service, or not in the expected format. A proxy may have sent it.',
  'upstream-unreachable': 'The service could not be reached.',
  'upstream-timeout': 'The service did not answer in time.',
  'upstream-busy': 'The service is down or overloaded. Try again later.',
  'upstream-loop':
    'The address of the service leads back to this gateway. The owner of the gateway must correct it.',
  internal: 'The gateway failed. Find the request in its log by x-request-id.',
} as const

/** A stable error code, safe to switch on. */
export type GatewayCode = keyof typeof gatewayCodes
