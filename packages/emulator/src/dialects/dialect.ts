import type { Operation } from '../operations.ts'

/** Why the service does not do what it was asked. */
export type Refusal =
  /** No access token. */
  | 'token-missing'
  /** An access token, but not the right one. */
  | 'token-wrong'
  /** Not sent with `Content-Type: application/json`. */
  | 'content-type'
  /** A list asked for without `Accept: application/json`. */
  | 'accept'
  /** A body of more than a megabyte. */
  | 'body-too-large'
  /** A body that is no JSON object. */
  | 'malformed-body'
  /** A required body field that is missing or of the wrong type. */
  | 'invalid-field'
  /** A `page` that is no page number. */
  | 'invalid-page'
  /** No such license. */
  | 'unknown-license'
  /** A key that never was. */
  | 'unknown-key'
  /** A key that was deactivated. */
  | 'removed-key'
  /** Every seat is taken. */
  | 'limit-reached'
  | 'license-suspended'
  | 'license-expired'
  /** A status that lets nobody in. */
  | 'license-inactive'
  /** No such path. */
  | 'unknown-path'
  /** The path is there, the method is not. */
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
   * What a refusal's body is: `message` is JSON `{ "message": … }`, `error` is JSON `{ "error": { "code", "message" } }`,
   * `problem` is RFC 9457, `text` is plain text, `empty` is nothing at all.
   */
  refusalBody: 'message' | 'error' | 'problem' | 'text' | 'empty'
  /** `null`: all keys in one answer, without envelope. Otherwise the pagination envelope, with that many keys on a page. */
  keysPaging: { perPage: number } | null
  validation: {
    /** The status when the key is not one of the license's; `null`: as the refusal says. */
    invalidKeyStatus: number | null
    /** A suspended, expired or inactive license: `answer` gives the facts with a success, `refuse` refuses. */
    unusableLicense: 'answer' | 'refuse'
  }
  activation: {
    /** Statuses of a license that may be activated; `null`: any. Activation sets ACTIVE. */
    acceptedStatuses: readonly string[] | null
  }
  deactivation: {
    /** A key that is already gone: `answer` says success again. */
    removedKey: 'answer' | 'refuse'
  }
  /** What `status` a suspended or expired license shows; `null`: the one it had. */
  shownStatus: { suspended: string | null; expired: string | null }
  /** Whether a request without `Content-Type: application/json` is refused. */
  requiresContentType: boolean
  /** Whether a list request without `Accept: application/json` is refused. */
  requiresAccept: boolean
  paging: {
    /** Page 0, -1, 1.5, abc: refuse, or give the nearest page there is. */
    invalidPage: 'refuse' | 'nearest'
    /** A page beyond the last: an empty page, the last page, or a refusal. */
    beyondLast: 'empty' | 'nearest' | 'refuse'
    /** What `from` and `to` are on a page without items. */
    emptyRange: 0 | null
  }
  /** How discounts made from a seed look. */
  discounts: {
    /** How `starts_at` and `ends_at` are written: as a timestamp, `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD`. */
    windowFormat: 'timestamp' | 'date-time' | 'date'
    /** What a FIXED `amount` counts: cents or whole units. */
    fixedAmountUnit: 'minor' | 'major'
    /** The values `status` takes. */
    statuses: readonly string[]
    /** The values a product's `type` takes. */
    productTypes: readonly string[]
  }
}

/** What each refusal says, in every dialect that says anything. */
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
