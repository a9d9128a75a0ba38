import type { Operation } from '../errors/operation.ts'

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call, which then rejects with a `cancelled` error. */
  signal?: AbortSignal | undefined
  /**
   * Additional headers. The client sets `authorization`, `content-type` and `accept` itself and refuses them
   * here.
   */
  headers?: Record<string, string> | undefined
  /** Called once for every HTTP answer, even an error. If it throws, the call rejects with that error. */
  onAnswer?: ((answer: AnswerMeta) => void) | undefined
}

/** Information about an HTTP answer besides its body. */
export interface AnswerMeta {
  operation: Operation
  status: number
  headers: Headers
  /** The `Date` header in milliseconds since the epoch; `null` if there is none. */
  serverDateMs: number | null
  /** From the call to the last byte of the body, in milliseconds. */
  durationMs: number
  /** Whether this was a success with the documented body, so that it comes from the service and not from a proxy. */
  isExpected: boolean
}
