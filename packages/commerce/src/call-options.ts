import type { Operation } from './operation.ts'

/** What every call accepts beside its own arguments. */
export interface CallOptions {
  /** Ends the call with a `cancelled` error. */
  signal?: AbortSignal | undefined
  /**
   * Headers to send beside the interface's own. `authorization`, `content-type` and `accept` belong to the client and
   * are refused.
   */
  headers?: Record<string, string> | undefined
  /** Called once for every HTTP answer, whatever it says. What it throws rejects the call. */
  onAnswer?: ((answer: AnswerMeta) => void) | undefined
}

/** What an HTTP answer says besides its body. */
export interface AnswerMeta {
  operation: Operation
  status: number
  headers: Headers
  /** The `Date` header in milliseconds since the epoch; `null` when there is none. */
  serverDateMs: number | null
  /** From the call to the last byte of the body, in milliseconds. */
  durationMs: number
  /** Whether this was a success whose body is the documented one: the service's own word, not a proxy's. */
  isExpected: boolean
}
