import * as z from 'zod/mini'
import { knownFields } from '../control/known-fields.ts'
import { operations } from '../operations.ts'
import { describeUnknownName, suggestion } from '../unknown-argument.ts'
import type { FaultRule } from './fault.ts'

const whole = z.int().check(z.nonnegative())
const operation = z.enum(operations)
const operationOrSeveral = z.union([operation, z.array(operation)], {
  error: ({ input }) => describeUnknownName('operation', input, operations),
})
const fields = z.array(z.string().check(z.minLength(1))).check(z.minLength(1))

const scope = {
  operation: z.optional(operationOrSeveral),
  licenseId: z.optional(z.string()),
  times: z.optional(z.int().check(z.positive())),
  after: z.optional(whole),
  when: z.optional(z.enum(['before-acting', 'after-acting'])),
}

const kinds = [
  knownFields({ fault: z.literal('reset'), ...scope }),
  knownFields({ fault: z.literal('timeout'), ...scope }),
  knownFields({
    fault: z.literal('status'),
    status: z.int().check(z.minimum(200), z.maximum(599)),
    body: z.optional(z.enum(['json', 'text', 'html', 'empty'])),
    retryAfterSeconds: z.optional(whole),
    retryAfterForm: z.optional(z.enum(['seconds', 'http-date'])),
    ...scope,
  }),
  knownFields({ fault: z.literal('html'), ...scope }),
  knownFields({ fault: z.literal('empty'), ...scope }),
  knownFields({ fault: z.literal('no-content'), ...scope }),
  knownFields({
    fault: z.literal('redirect'),
    status: z.optional(z.literal([301, 302, 303, 307, 308])),
    to: z.optional(z.union([z.literal('same-origin'), z.url()])),
    ...scope,
  }),
  knownFields({ fault: z.literal('huge-body'), bytes: z.optional(whole), ...scope }),
  knownFields({ fault: z.literal('gzip-bomb'), bytes: z.optional(whole), ...scope }),
  knownFields({
    fault: z.literal('slow-drip'),
    chunkBytes: z.optional(z.int().check(z.positive())),
    everyMs: z.optional(whole),
    ...scope,
  }),
  knownFields({ fault: z.literal('truncated'), ...scope }),
  knownFields({ fault: z.literal('cut'), ...scope }),
  knownFields({ fault: z.literal('wrong-types'), fields, ...scope }),
  knownFields({ fault: z.literal('missing-fields'), fields, ...scope }),
  knownFields({
    fault: z.literal('set-fields'),
    fields: z.record(z.string(), z.unknown()),
    ...scope,
  }),
  knownFields({ fault: z.literal('content-type'), contentType: z.string(), ...scope }),
  knownFields({ fault: z.literal('delay'), delayMs: whole, ...scope }),
  knownFields({ fault: z.literal('date-shift'), shiftMs: z.int(), ...scope }),
  knownFields({ fault: z.literal('date-missing'), ...scope }),
] as const

/** A fault rule received over HTTP. */
export const faultRuleSchema: z.ZodMiniType<FaultRule> = z.discriminatedUnion('fault', kinds, {
  error: ({ input }) => describeUnknownFault(input),
})

/** The name of every fault. */
export const faultNames: readonly FaultRule['fault'][] = kinds.flatMap(({ shape }) => shape.fault.def.values)

function describeUnknownFault(rule: unknown): string {
  if (typeof rule !== 'object' || rule === null) return 'pass an object such as { fault: "reset" }'
  const name: unknown = Reflect.get(rule, 'fault')
  return `${describeUnknownName('fault', name, faultNames)}${suggestion(String(name), faultNames)}`
}
