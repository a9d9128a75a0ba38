import * as z from 'zod/mini'
import { parseInput } from '../control/parse-input.ts'
import { ControlError } from '../control-error.ts'
import { resolveDialect } from '../dialects/resolve-dialect.ts'
import { faceNames } from '../faces/face.ts'
import type { EmulatorOptions } from '../start-emulator.ts'
import { describeUnknownName, suggestion } from '../unknown-argument.ts'

const count = z.optional(z.int().check(z.nonnegative()))

/** The port is checked by Node, the dialect and the data where they are read. */
const schemas: Readonly<Record<keyof EmulatorOptions, z.ZodMiniType>> = {
  port: z.optional(z.unknown()),
  host: z.optional(z.string()),
  accessToken: z.optional(
    z.nullable(z.string().check(z.minLength(1, 'the token is empty; null requires none'))),
  ),
  seed: z.optional(
    z.union([z.number(), z.object({})], 'pass a number or the data itself, not the name of a file'),
  ),
  customers: count,
  discounts: count,
  face: z.optional(
    z.enum(faceNames, {
      error: ({ input }) =>
        describeUnknownName('face', input, faceNames) + suggestion(String(input), faceNames),
    }),
  ),
  rateLimits: z.optional(z.boolean()),
  dialect: z.optional(z.unknown()),
  requestLogLimit: z.optional(z.number().check(z.nonnegative())),
}

const names = Object.keys(schemas)
const schema = z.object(schemas)

/** What to use instead of a name that the command line has, or the clients. */
const replacements = new Map([
  ['noToken', 'accessToken: null starts it without one'],
  ['token', 'use accessToken'],
  ['data', 'pass the data itself as seed'],
  ['save', 'write control.dumpData() to a file'],
  ['baseUrl', 'use host and port'],
])

/**
 * Checks the options, because plain JavaScript passes anything.
 *
 * @throws TypeError that names the option.
 */
export function checkEmulatorOptions(options: EmulatorOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('startEmulator: pass an object, such as { port: 4010 }.')
  }
  for (const name of Object.keys(options)) {
    if (!names.includes(name)) throw new TypeError(`startEmulator: ${name} is not an option${hintFor(name)}`)
  }
  try {
    parseInput(schema, options)
    if (options.dialect !== undefined) resolveDialect(options.dialect)
  } catch (error) {
    throw error instanceof ControlError ? new TypeError(`startEmulator: ${error.message}`) : error
  }
}

function hintFor(name: string): string {
  const replacement = replacements.get(name)
  if (replacement !== undefined) return ` (${replacement}).`
  return `.${suggestion(name, names) || ` The options are ${names.join(', ')}.`}`
}
