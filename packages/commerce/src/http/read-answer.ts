import type * as z from 'zod/mini'
import { CommerceError, type CommerceErrorDetails } from '../errors/commerce-error.ts'
import type { CommerceErrorCode } from '../errors/error-messages.ts'

/** The result of parsing an answer's body with its schema. */
export type Reading<T> =
  | { holds: true; value: T }
  | { holds: false; bodyIsJson: boolean; field: string | null }

/** Parses the body of a success. */
export function readBody<T>(text: string, schema: z.ZodMiniType<T>): Reading<T> {
  const json = parseJson(text)
  if (json === undefined) return { holds: false, bodyIsJson: false, field: null }
  const result = schema.safeParse(json)
  if (result.success) return { holds: true, value: result.data }
  return { holds: false, bodyIsJson: isDocument(json), field: fieldName(result.error.issues[0]?.path ?? []) }
}

/** Whether a text is a JSON object or array. A broken proxy may send a single word or number. */
export function isJsonDocument(text: string): boolean {
  return isDocument(parseJson(text))
}

/** Returns the `error` of a JSON body if it is a short code such as `no-seat-left`; otherwise `null`. */
export function refusalCodeOf(text: string): string | null {
  const json = parseJson(text)
  if (typeof json !== 'object' || json === null || !('error' in json)) return null
  return typeof json.error === 'string' && /^[a-z][a-z-]{1,40}$/.test(json.error) ? json.error : null
}

/** Whether a text that isn't JSON starts like a JSON document, so that its end is missing. */
export function breaksOff(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

/** Returns the error code for an answer's status; `null` for a success. */
export function errorCodeOf(status: number): CommerceErrorCode | null {
  if (status >= 200 && status < 300) return null
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'unreachable'
  if (status === 401 || status === 403 || status === 407) return 'unauthorized'
  if (status === 404 || status === 410) return 'not-found'
  return status >= 400 ? 'rejected' : 'unexpected-answer'
}

/** Creates the error for an answer that isn't a success. */
export function statusError(code: CommerceErrorCode, details: CommerceErrorDetails): CommerceError {
  return new CommerceError(code, { ...details, reason: code === 'unreachable' ? 'http-status' : null })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isDocument(json: unknown): boolean {
  return typeof json === 'object' && json !== null
}

function fieldName(path: readonly PropertyKey[]): string | null {
  const name = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  return name === '' ? null : name.replace(/^\./, '')
}
