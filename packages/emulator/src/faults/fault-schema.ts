import * as z from 'zod/mini'
import { operations } from '../operations.ts'
import type { FaultRule } from './fault.ts'

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
  z.strictObject({ fault: z.literal('reset'), ...scope }),
  z.strictObject({ fault: z.literal('timeout'), ...scope }),
  z.strictObject({
    fault: z.literal('status'),
    status: z.int().check(z.minimum(200), z.maximum(599)),
    body: z.optional(z.enum(['json', 'text', 'html', 'empty'])),
    retryAfterSeconds: z.optional(whole),
    retryAfterForm: z.optional(z.enum(['seconds', 'http-date'])),
    ...scope,
  }),
  z.strictObject({ fault: z.literal('html'), ...scope }),
  z.strictObject({ fault: z.literal('empty'), ...scope }),
  z.strictObject({ fault: z.literal('no-content'), ...scope }),
  z.strictObject({
    fault: z.literal('redirect'),
    status: z.optional(z.literal([301, 302, 303, 307, 308])),
    to: z.optional(z.union([z.literal('same-origin'), z.url()])),
    ...scope,
  }),
  z.strictObject({ fault: z.literal('huge-body'), bytes: z.optional(whole), ...scope }),
  z.strictObject({ fault: z.literal('gzip-bomb'), bytes: z.optional(whole), ...scope }),
  z.strictObject({
    fault: z.literal('slow-drip'),
    chunkBytes: z.optional(z.int().check(z.positive())),
    everyMs: z.optional(whole),
    ...scope,
  }),
  z.strictObject({ fault: z.literal('truncated'), ...scope }),
  z.strictObject({ fault: z.literal('cut'), ...scope }),
  z.strictObject({ fault: z.literal('wrong-types'), fields, ...scope }),
  z.strictObject({ fault: z.literal('missing-fields'), fields, ...scope }),
  z.strictObject({
    fault: z.literal('set-fields'),
    fields: z.record(z.string(), z.unknown()),
    ...scope,
  }),
  z.strictObject({ fault: z.literal('content-type'), contentType: z.string(), ...scope }),
  z.strictObject({ fault: z.literal('delay'), delayMs: whole, ...scope }),
  z.strictObject({ fault: z.literal('date-shift'), shiftMs: z.int(), ...scope }),
  z.strictObject({ fault: z.literal('date-missing'), ...scope }),
] as const

/** A fault rule received over HTTP. */
export const faultRuleSchema: z.ZodMiniType<FaultRule> = z.discriminatedUnion('fault', kinds)

/** The name of every fault. */
export const faultNames: readonly FaultRule['fault'][] = kinds.flatMap(({ shape }) => shape.fault.def.values)
