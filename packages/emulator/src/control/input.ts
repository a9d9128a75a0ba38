import { checkOptions, OptionsError } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import { dateSchema } from '../data/data-schema.ts'
import type { TotalsPatch } from '../data/service-data.ts'

/** Thrown if a control operation can't be carried out. */
export class ControlError extends Error {
  override readonly name = 'ControlError' as const
  /** `not-found`: the license, key or fault doesn't exist. `invalid`: the input doesn't match its schema. */
  readonly code: 'not-found' | 'invalid'

  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Parses the input of a control operation.
 *
 * @param caller the operation, for the message.
 * @throws ControlError that names all invalid fields.
 */
export function parseInput<Output>(caller: string, schema: z.ZodMiniType<Output>, input: unknown): Output {
  try {
    return checkOptions(caller, schema, input)
  } catch (error) {
    throw error instanceof OptionsError ? new ControlError('invalid', error.message) : error
  }
}

/** The fields of a new license. All are optional. */
export interface LicenseInput {
  /** The license key, a UUID. @default a random UUID */
  id?: string | undefined
  /** Number of seats. @default 3 */
  activation_limit?: number | undefined
  /** Any date; `null`: no end. @default one year from now */
  expires_at?: string | null | undefined
  /** Any date; `null`: not suspended. @default null */
  suspended_at?: string | null | undefined
  /** Any text. Only `ACTIVE` can be used. @default 'ACTIVE' */
  status?: string | undefined
  /** Names of features: the codes of Keygen's entitlements. Other services have none and refuse them. @default [] */
  features?: string[] | undefined
  /** Names of devices already activated. @default [] */
  keys?: string[] | undefined
}

/** The fields of a license that can be changed. */
export type LicensePatch = Omit<LicenseInput, 'id' | 'keys'>

const count = z.optional(z.int().check(z.nonnegative()))

const patchFields = {
  activation_limit: count,
  expires_at: z.optional(z.nullable(dateSchema)),
  suspended_at: z.optional(z.nullable(dateSchema)),
  status: z.optional(z.string()),
  features: z.optional(z.array(z.string())),
}

export const licensePatchSchema: z.ZodMiniType<LicensePatch> = z.strictObject(patchFields)

export const licenseInputSchema: z.ZodMiniType<LicenseInput> = z.strictObject({
  id: z.optional(z.uuid('must be a UUID')),
  ...patchFields,
  keys: z.optional(z.array(z.string())),
})

/** New lengths of the seeded lists. */
export const totalsSchema: z.ZodMiniType<TotalsPatch> = z.strictObject({ customers: count, discounts: count })

/** How long a pause may be, in milliseconds. A timer of Node.js has no longer delay than 2 ** 31 - 1. */
export const pauseSchema: z.ZodMiniType<number> = z
  .number('must be milliseconds, such as 5000')
  .check(z.minimum(0), z.maximum(3_600_000))

/** An id, because plain JavaScript may pass the whole license or key. */
export const idTextSchema: z.ZodMiniType<string> = z.string('must be the id as text, such as license.id')

/** The name of a device. */
export const deviceNameSchema: z.ZodMiniType<string> = z.string('must be the name of the device as text')
