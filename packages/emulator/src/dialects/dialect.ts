import type { Operation } from '../operations.ts'

/** Why the service refuses a request. */
export type Refusal =
  /** No access token. */
  | 'token-missing'
  /** An access token, but not the right one. */
  | 'token-wrong'
  /** Not sent with `Content-Type: application/json`. */
  | 'content-type'
  /** A list request without `Accept: application/json`. */
  | 'accept'
  /** A body larger than a megabyte. */
  | 'body-too-large'
  /** A body that isn't a JSON object. */
  | 'malformed-body'
  /** A required body field that is missing or of the wrong type. */
  | 'invalid-field'
  /** A `page` that isn't a valid page number. */
  | 'invalid-page'
  /** The license doesn't exist. */
  | 'unknown-license'
  /** A key that never existed. */
  | 'unknown-key'
  /** A key that was deactivated. */
  | 'removed-key'
  /** Every seat is taken. */
  | 'limit-reached'
  | 'license-suspended'
  | 'license-expired'
  /** A status that doesn't entitle. */
  | 'license-inactive'
  /** The path doesn't exist. */
  | 'unknown-path'
  /** The path exists, but not with this method. */
  | 'method'

/**
 * Everything the interface leaves open, chosen once. Plain data: copy one and change what you need.
 *
 * @example
 * ```ts
 * const dialect = { ...dialects.default, name: 'small-pages', keysPaging: { perPage: 2 } }
 * await startEmulator({ dialect })
 * ```
 */
export interface Dialect {
  name: string
  /** The status of a success, for each operation. */
  successStatus: Record<Operation, number>
  /** The status of each refusal. */
  refusalStatus: Record<Refusal, number>
  /**
   * The body of a refusal: `message` is JSON `{ "message": … }`, `error` is JSON `{ "error": { "code", "message" } }`,
   * `problem` is RFC 9457, `text` is plain text, `empty` is no body.
   */
  refusalBody: 'message' | 'error' | 'problem' | 'text' | 'empty'
  /** `null`: all keys in one response, without an envelope. Otherwise pages with that many keys, in the envelope. */
  keysPaging: { perPage: number } | null
  validation: {
    /** The status if the license doesn't have the key; `null`: the refusal's own status. */
    invalidKeyStatus: number | null
    /** For a suspended, expired or inactive license: `answer` succeeds and returns its facts, `refuse` refuses. */
    unusableLicense: 'answer' | 'refuse'
  }
  activation: {
    /** License statuses that allow activation; `null`: any. Activation sets ACTIVE. */
    acceptedStatuses: readonly string[] | null
  }
  deactivation: {
    /** For a key that is already gone: `answer` reports success again. */
    removedKey: 'answer' | 'refuse'
  }
  /** The `status` that a suspended or expired license shows; `null`: its stored status. */
  shownStatus: { suspended: string | null; expired: string | null }
  /** Whether a request without `Content-Type: application/json` is refused. */
  requiresContentType: boolean
  /** Whether a list request without `Accept: application/json` is refused. */
  requiresAccept: boolean
  paging: {
    /** For page 0, -1, 1.5 or abc: refuse, or return the nearest page. */
    invalidPage: 'refuse' | 'nearest'
    /** For a page beyond the last: return an empty page or the last page, or refuse. */
    beyondLast: 'empty' | 'nearest' | 'refuse'
    /** The value of `from` and `to` on an empty page. */
    emptyRange: 0 | null
  }
  /** The format of seeded discounts. */
  discounts: {
    /** The format of `starts_at` and `ends_at`: a timestamp, `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD`. */
    windowFormat: 'timestamp' | 'date-time' | 'date'
    /** The unit of a FIXED `amount`: cents or whole units. */
    fixedAmountUnit: 'minor' | 'major'
    /** The possible values of `status`. */
    statuses: readonly string[]
    /** The possible values of a product's `type`. */
    productTypes: readonly string[]
  }
}

/** The message of each refusal, in every dialect with messages. */
export const refusalMessages: Record<Refusal, string> = {
  'token-missing': 'Send an access token: Authorization: Bearer <ACCESS_TOKEN>.',
  'token-wrong': 'The access token is not valid.',
  'content-type': 'Send the header Content-Type: application/json.',
  accept: 'Send the header Accept: application/json.',
  'body-too-large': 'The body is too large.',
  'malformed-body': 'The body is not a JSON object.',
  'invalid-field': 'A required field is missing or of the wrong type.',
  'invalid-page': 'The page must be a whole number from 1.',
  'unknown-license': 'There is no such license.',
  'unknown-key': 'There is no such license key.',
  'removed-key': 'This license key has been deactivated.',
  'limit-reached': 'The activation limit of this license has been reached.',
  'license-suspended': 'This license is suspended.',
  'license-expired': 'This license has expired.',
  'license-inactive': 'This license is not active.',
  'unknown-path': 'There is nothing at this path.',
  method: 'This path does not answer to this method.',
}
