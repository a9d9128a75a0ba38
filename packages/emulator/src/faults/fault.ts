import type { Operation } from '../operations.ts'

/** When a fault strikes: before the service did what it was asked, or after it, so that only the answer suffers. */
export type FaultMoment = 'before-acting' | 'after-acting'

/** Which requests a fault strikes. */
export interface FaultScope {
  /** One or several operations. @default all */
  operation?: Operation | Operation[] | undefined
  /** Requests about this license alone. */
  licenseId?: string | undefined
  /** How many requests it strikes. @default until it is removed */
  times?: number | undefined
  /** How many matching requests pass first. @default 0 */
  after?: number | undefined
  /** @default 'before-acting' */
  when?: FaultMoment | undefined
}

/** An answer that takes the place of the service's own. */
export type ReplacingFault =
  /** The connection is reset (TCP RST). */
  | { fault: 'reset' }
  /** No answer, ever; the connection stays open. */
  | { fault: 'timeout' }
  | {
      fault: 'status'
      /** 200 to 599. */
      status: number
      /** @default 'json' */
      body?: 'json' | 'text' | 'html' | 'empty' | undefined
      /** Adds `Retry-After`. */
      retryAfterSeconds?: number | undefined
      /** How `Retry-After` is written. @default 'seconds' */
      retryAfterForm?: 'seconds' | 'http-date' | undefined
    }
  /** A captive portal's page, with 200. */
  | { fault: 'html' }
  /** 200, JSON by its header, without a byte. */
  | { fault: 'empty' }
  /** 204. */
  | { fault: 'no-content' }
  | {
      fault: 'redirect'
      /** @default 302 */
      status?: 301 | 302 | 303 | 307 | 308 | undefined
      /** `same-origin` leads back to the same path; otherwise the origin to lead to. @default 'same-origin' */
      to?: string | undefined
    }
  | {
      /** A JSON body without end in sight. */
      fault: 'huge-body'
      /** @default 52428800 (50 MiB) */
      bytes?: number | undefined
    }
  | {
      /** A small gzipped body that unpacks to a huge one. */
      fault: 'gzip-bomb'
      /** Unpacked. @default 1073741824 (1 GiB) */
      bytes?: number | undefined
    }

/** Something done to the service's own answer, which it gives after acting; `when` means nothing here. */
export type SpoilingFault =
  | {
      /** The answer trickles in. */
      fault: 'slow-drip'
      /** @default 1 */
      chunkBytes?: number | undefined
      /** @default 1000 */
      everyMs?: number | undefined
    }
  /** JSON that ends in the middle, with an honest length. */
  | { fault: 'truncated' }
  /** The connection ends in the middle of the body. */
  | { fault: 'cut' }
  /** Fields with a value of another type. Paths: `license.status`, `data.0.id`, `data.*.id`. */
  | { fault: 'wrong-types'; fields: string[] }
  /** Fields left out. */
  | { fault: 'missing-fields'; fields: string[] }
  /** Fields with these values; a last step that is not there is added. */
  | { fault: 'set-fields'; fields: Record<string, unknown> }
  /** The right body under another `Content-Type`. */
  | { fault: 'content-type'; contentType: string }

/** Goes together with any other fault. */
export type AccompanyingFault =
  /** Waits; before acting or, with `when`, after it. */
  | { fault: 'delay'; delayMs: number }
  /** A `Date` header ahead (or, negative, behind). */
  | { fault: 'date-shift'; shiftMs: number }
  /** No `Date` header. */
  | { fault: 'date-missing' }

/** Anything that can go wrong on the service's side. */
export type Fault = ReplacingFault | SpoilingFault | AccompanyingFault

/**
 * A fault and the requests it strikes.
 *
 * @example
 * ```ts
 * emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
 * ```
 */
export type FaultRule = Fault & FaultScope
