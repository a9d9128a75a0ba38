import * as z from 'zod/mini'
import { toTimestamp } from '../timestamps.ts'
import { ControlError } from './control-error.ts'

/** What a license is made of; everything has a default. */
export interface LicenseInput {
  /** @default a random UUID */
  id?: string | undefined
  /** @default 3 */
  activation_limit?: number | undefined
  /** Any date; `null`: no end. @default in a year */
  expires_at?: string | null | undefined
  /** Any date; `null`: not suspended. @default null */
  suspended_at?: string | null | undefined
  /** @default 'ACTIVE' */
  status?: string | undefined
  /** Names of devices already activated. @default [] */
  keys?: string[] | undefined
}

/** What of a license can be changed. */
export type LicensePatch = Omit<LicenseInput, 'id' | 'keys'>

const date = z.pipe(
  z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), 'no date')),
  z.transform((text: string) => toTimestamp(text)),
)

const patchFields = {
  activation_limit: z.optional(z.int().check(z.nonnegative())),
  expires_at: z.optional(z.nullable(date)),
  suspended_at: z.optional(z.nullable(date)),
  status: z.optional(z.string()),
}

const patchSchema: z.ZodMiniType<LicensePatch> = z.strictObject(patchFields)

const inputSchema: z.ZodMiniType<LicenseInput> = z.strictObject({
  id: z.optional(z.uuid()),
  ...patchFields,
  keys: z.optional(z.array(z.string())),
})

/** Reads input for a new license. */
export function parseLicenseInput(input: unknown): LicenseInput {
  return parse(inputSchema, input)
}

/** Reads changes to a license. */
export function parseLicensePatch(input: unknown): LicensePatch {
  return parse(patchSchema, input)
}

/**
 * Reads `input`.
 *
 * @throws ControlError with one sentence that names every field in question.
 */
export function parse<Output>(schema: z.ZodMiniType<Output>, input: unknown): Output {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new ControlError('invalid', `${problems.join('; ')}.`)
}
