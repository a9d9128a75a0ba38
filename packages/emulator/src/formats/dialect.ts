import { nearestName } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { ControlError } from '../control/input.ts'
import type { Operation } from './format.ts'

/** The default status of each refusal. `accept` is about lists; a `removed-key` was deactivated. */
const defaultRefusalStatus = {
  'token-missing': 401,
  'token-wrong': 401,
  'content-type': 415,
  accept: 406,
  'body-too-large': 413,
  'malformed-body': 400,
  'invalid-field': 422,
  'invalid-page': 422,
  'unknown-license': 404,
  'unknown-key': 404,
  'removed-key': 404,
  'limit-reached': 422,
  'license-suspended': 422,
  'license-expired': 422,
  'license-inactive': 422,
  'unknown-path': 404,
  method: 405,
}

/** Why the service refuses a request. */
export type Refusal = keyof typeof defaultRefusalStatus

/** Everything the interface leaves open, chosen once. */
export interface Dialect {
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
  }
}

/**
 * Differences from the default dialect. The fields of an inner object can be given one by one too.
 *
 * @example
 * ```ts
 * await startEmulator({ dialect: { keysPaging: { perPage: 2 }, refusalStatus: { 'limit-reached': 409 } } })
 * ```
 */
export type DialectChanges = {
  [Field in keyof Dialect]?: Dialect[Field] extends Readonly<Record<string, unknown>>
    ? Partial<Dialect[Field]>
    : Dialect[Field]
}

/** 200 for every success, JSON `{ message }` for every refusal, and license facts even if the license is unusable. */
const defaultDialect: Dialect = {
  successStatus: {
    keys: 200,
    key: 200,
    activate: 200,
    validate: 200,
    deactivate: 200,
    discounts: 200,
    customers: 200,
  },
  refusalStatus: defaultRefusalStatus,
  refusalBody: 'message',
  keysPaging: null,
  validation: { invalidKeyStatus: null, unusableLicense: 'answer' },
  activation: { acceptedStatuses: ['ACTIVE', 'INACTIVE'] },
  deactivation: { removedKey: 'refuse' },
  shownStatus: { suspended: null, expired: null },
  requiresContentType: true,
  requiresAccept: false,
  paging: { invalidPage: 'refuse', beyondLast: 'empty' },
}

/** Differences from the default dialect. {@link resolveDialect} checks the fields. */
export const dialectChangesSchema: z.ZodMiniType<DialectChanges> = z.custom<DialectChanges>(
  isRecord,
  'must be an object, such as { refusalBody: "text" }',
)

/**
 * Returns the default dialect with these changes.
 *
 * @throws ControlError that names a field that doesn't exist, or isn't an object.
 */
export function resolveDialect(changes: DialectChanges): Dialect {
  const dialect = structuredClone(defaultDialect)
  applyChanges(dialect, changes, 'dialect')
  return dialect
}

/** A mistyped field would have no effect, and a test would pass that tests nothing. */
function applyChanges(target: object, changes: unknown, path: string): void {
  if (!isRecord(changes)) throw new ControlError('invalid', `${path} must be an object.`)
  const known = Object.keys(target)
  for (const [name, value] of Object.entries(changes)) {
    if (!known.includes(name)) {
      const nearest = nearestName(name, known)
      const advice = nearest === null ? `: use one of ${known.join(', ')}` : ` (did you mean "${nearest}"?)`
      throw new ControlError('invalid', `${path}.${name} is not a field${advice}`)
    }
    const current: unknown = Reflect.get(target, name)
    if (value === undefined) continue
    if (isRecord(current)) applyChanges(current, value, `${path}.${name}`)
    else Reflect.set(target, name, value)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
