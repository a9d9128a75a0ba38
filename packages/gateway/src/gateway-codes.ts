/**
 * Every reason the gateway gives for not answering with what was asked for. The code is the whole body of such an
 * answer, `{ "error": "<code>" }`; nothing of the service's own words gets through. This map is the only source of codes.
 */
export const gatewayCodes = {
  // What was asked is not served here: plain text, for JSON with 404 is the service's word about a license
  'no-such-route': 'Nothing is served at this path, or not for this method.',
  'method-override': 'A header asked to treat the request as one of another method.',

  // What was sent cannot be used; nothing went to the service
  'malformed-request': 'What came was no proper HTTP request; the connection was closed.',
  'invalid-nonce': 'The header latchkey-nonce has to be 22 to 128 characters of base64url.',
  'invalid-body': 'The body has to be a JSON object with the field this path needs.',
  'json-only': 'The body has to be uncompressed JSON with Content-Type: application/json.',
  'body-too-large': 'The body is larger than any this interface needs.',
  'no-offline-request':
    'This is no request for activation without internet. Send the file, the text or the QR code that the app shows.',
  'offline-request-torn':
    'A part of the request is missing, or a character is wrong. Copy all of it, or send the file.',
  'offline-request-newer':
    'The request is from a newer app than this gateway knows: its owner has to update it.',
  'too-many-requests':
    'This license or this address made too many requests. Retry-After says when to come back.',

  // What the service said
  'not-found': 'The service does not know this license or key.',
  gone: 'The service says this license or key is gone.',
  rejected: 'The service refused the request.',
  'no-seat-left': 'Every seat of the license is taken.',
  'wrong-product': 'The license key belongs to another product.',
  'license-expired': 'The license has ended.',
  'license-suspended': 'The license is suspended.',
  'license-inactive': 'The license is not in force.',
  'list-not-allowed': 'The service does not let this gateway list the keys of a license.',

  // The service did not say anything that counts
  'upstream-unauthorized':
    'The service refuses the access token of this gateway: its owner has to replace it.',
  'upstream-misconfigured':
    'The service is set up in a way that this gateway cannot use: its owner must change it there.',
  'upstream-unexpected-answer': 'Something other than the service answered, or it answered in another form.',
  'upstream-unreachable': 'The service could not be reached.',
  'upstream-timeout': 'The service did not answer in time.',
  'upstream-busy': 'The service is down or asks to come back later.',
  internal: 'The gateway failed. Its log names the request.',
} as const

/** A stable reason, safe to switch on. */
export type GatewayCode = keyof typeof gatewayCodes
