import * as z from 'zod/mini'
import { dateSchema } from '../data/emulator-data-schema.ts'
import { knownFields } from './known-fields.ts'
import { parseInput } from './parse-input.ts'

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
  /** Names of features: the codes of Keygen's entitlements. Other faces have none and refuse them. @default [] */
  features?: string[] | undefined
  /** Names of devices already activated. @default [] */
  keys?: string[] | undefined
}

/** The fields of a license that can be changed. */
export type LicensePatch = Omit<LicenseInput, 'id' | 'keys'>

const patchFields = {
  activation_limit: z.optional(z.int().check(z.nonnegative())),
  expires_at: z.optional(z.nullable(dateSchema)),
  suspended_at: z.optional(z.nullable(dateSchema)),
  status: z.optional(z.string()),
  features: z.optional(z.array(z.string())),
}

const patchSchema: z.ZodMiniType<LicensePatch> = knownFields(patchFields)

const inputSchema: z.ZodMiniType<LicenseInput> = knownFields({
  id: z.optional(z.uuid()),
  ...patchFields,
  keys: z.optional(z.array(z.string())),
})

/** Parses the input for a new license. */
export function parseLicenseInput(input: unknown): LicenseInput {
  return parseInput(inputSchema, input)
}

/** Parses the changes to a license. */
export function parseLicensePatch(input: unknown): LicensePatch {
  return parseInput(patchSchema, input)
}
