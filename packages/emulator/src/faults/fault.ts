import * as z from 'zod/mini'
import { type Operation, operations } from '../formats/format.ts'

/** When a fault applies: before the service acts, or after it, so that only the answer is affected. */
export type FaultMoment = 'before-acting' | 'after-acting'

/** The requests a fault applies to. */
export interface FaultScope {
  /** One or several operations. @default all */
  operation?: Operation | Operation[] | undefined
  /** Only requests about this license. */
  licenseId?: string | undefined
  /** How many requests it applies to. @default until it is removed */
  times?: number | undefined
  /** How many matching requests pass first. @default 0 */
  after?: number | undefined
  /** Whether the service acts first. @default 'before-acting' */
  when?: FaultMoment | undefined
}

/** An answer that replaces the service's own. */
export type ReplacingFault =
  /** The connection is reset (TCP RST). */
  | { fault: 'reset' }
  /** No answer, ever; the connection stays open. */
  | { fault: 'timeout' }
  | StatusFault
  /** A captive portal's page, with status 200. */
  | { fault: 'html' }
  /** Status 200 with a JSON content type and no body. */
  | { fault: 'empty' }
  /** 204. */
  | { fault: 'no-content' }
  | RedirectFault
  /** An oversized JSON body of so many `bytes`, 50 MiB by default. */
  | { fault: 'huge-body'; bytes?: number | undefined }
  /** A small gzipped body that decompresses to so many `bytes`, 1 GiB by default. */
  | { fault: 'gzip-bomb'; bytes?: number | undefined }

/** An answer with this status. */
export interface StatusFault {
  fault: 'status'
  /** The status, 200 to 599. */
  status: number
  /** What the body contains. @default 'json' */
  body?: 'json' | 'text' | 'html' | 'empty' | undefined
  /** Adds `Retry-After`. */
  retryAfterSeconds?: number | undefined
  /** How `Retry-After` is written. @default 'seconds' */
  retryAfterForm?: 'seconds' | 'http-date' | undefined
}

/** A redirect. */
export interface RedirectFault {
  fault: 'redirect'
  /** The status. @default 302 */
  status?: 301 | 302 | 303 | 307 | 308 | undefined
  /** `same-origin` redirects to the same path; anything else is the origin to redirect to. @default 'same-origin' */
  to?: string | undefined
}

/** A change to the service's own answer after it has acted. `when` has no effect. */
export type SpoilingFault =
  /** The answer arrives in chunks of 1 byte, a second apart, by default. */
  | { fault: 'slow-drip'; chunkBytes?: number | undefined; everyMs?: number | undefined }
  /** Truncated JSON with a matching length. */
  | { fault: 'truncated' }
  /** The connection ends in the middle of the body. */
  | { fault: 'cut' }
  /** Fields with a value of another type. Paths: `license.status`, `data.0.id`, `data.*.id`. */
  | { fault: 'wrong-types'; fields: string[] }
  /** Removes these fields. */
  | { fault: 'missing-fields'; fields: string[] }
  /** Sets these fields. If the last segment of a path doesn't exist, it is added. */
  | { fault: 'set-fields'; fields: Record<string, unknown> }
  /** The correct body with another `Content-Type`. */
  | { fault: 'content-type'; contentType: string }

/** Can be combined with any other fault. */
export type AccompanyingFault =
  /** Waits before the service acts or, with `when`, after it. */
  | { fault: 'delay'; delayMs: number }
  /** A `Date` header in the future (or, if negative, in the past). */
  | { fault: 'date-shift'; shiftMs: number }
  /** No `Date` header. */
  | { fault: 'date-missing' }

/** Any failure on the service's side. */
export type Fault = ReplacingFault | SpoilingFault | AccompanyingFault

/**
 * A fault and the requests it applies to.
 *
 * @example
 * ```ts
 * emulator.control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
 * ```
 */
export type FaultRule = Fault & FaultScope

const whole = z.int().check(z.nonnegative())
const operation = z.enum(operations)
const fields = z.array(z.string().check(z.minLength(1))).check(z.minLength(1))

const scope = {
  operation: z.optional(z.union([operation, z.array(operation)])),
  licenseId: z.optional(z.string()),
  times: z.optional(z.int().check(z.positive())),
  after: z.optional(whole),
  when: z.optional(z.enum(['before-acting', 'after-acting'])),
}

const kinds = [
  z.strictObject({
    fault: z.literal(['reset', 'timeout', 'html', 'empty', 'no-content', 'truncated', 'cut', 'date-missing']),
    ...scope,
  }),
  z.strictObject({
    fault: z.literal('status'),
    status: z.int().check(z.minimum(200), z.maximum(599)),
    body: z.optional(z.enum(['json', 'text', 'html', 'empty'])),
    retryAfterSeconds: z.optional(whole),
    retryAfterForm: z.optional(z.enum(['seconds', 'http-date'])),
    ...scope,
  }),
  z.strictObject({
    fault: z.literal('redirect'),
    status: z.optional(z.literal([301, 302, 303, 307, 308])),
    to: z.optional(z.union([z.literal('same-origin'), z.url()])),
    ...scope,
  }),
  z.strictObject({ fault: z.literal(['huge-body', 'gzip-bomb']), bytes: z.optional(whole), ...scope }),
  z.strictObject({
    fault: z.literal('slow-drip'),
    chunkBytes: z.optional(z.int().check(z.positive())),
    everyMs: z.optional(whole),
    ...scope,
  }),
  z.strictObject({ fault: z.literal(['wrong-types', 'missing-fields']), fields, ...scope }),
  z.strictObject({ fault: z.literal('set-fields'), fields: z.record(z.string(), z.unknown()), ...scope }),
  z.strictObject({ fault: z.literal('content-type'), contentType: z.string(), ...scope }),
  z.strictObject({ fault: z.literal('delay'), delayMs: whole, ...scope }),
  z.strictObject({ fault: z.literal('date-shift'), shiftMs: z.int(), ...scope }),
] as const

/** The name of every fault. */
export const faultNames: readonly FaultRule['fault'][] = kinds.flatMap(({ shape }) => shape.fault.def.values)

/** A fault rule from plain JavaScript, or received over HTTP. */
export const faultRuleSchema: z.ZodMiniType<FaultRule> = z.discriminatedUnion(
  'fault',
  kinds,
  `must be one of ${faultNames.join(', ')}, such as { fault: "reset" }`,
)
