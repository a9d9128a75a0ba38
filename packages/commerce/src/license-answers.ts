import * as z from 'zod/mini'
import { type License, licenseSchema } from './license.ts'
import { type LicenseKey, licenseKeySchema } from './license-key.ts'

/** The answer to *activate*: the license after it, and the key it created. */
export interface Activation {
  license: License
  key: LicenseKey
}

/** The answer to *validate*. */
export interface Validation {
  license: License
  key: LicenseKey
}

/** The answer to *deactivate*. */
export interface Deactivation {
  /** The service's own words that it was done. */
  message: string
}

/** The answer to *show key*. */
export interface LicenseKeyAnswer {
  data: LicenseKey
}

/** The answer to *list keys*. Whether it is paged is not documented, so `links` may be there or not. */
export interface LicenseKeysAnswer {
  data: LicenseKey[]
  links?: { next?: string | null | undefined } | undefined
}

/** Reads an {@link Activation}. */
export const activationSchema: z.ZodMiniType<Activation> = z.object({
  license: licenseSchema,
  key: licenseKeySchema,
})

/** Reads a {@link Validation}. */
export const validationSchema: z.ZodMiniType<Validation> = z.object({
  license: licenseSchema,
  key: licenseKeySchema,
})

/** Reads a {@link Deactivation}. */
export const deactivationSchema: z.ZodMiniType<Deactivation> = z.object({ message: z.string() })

/** Reads a {@link LicenseKeyAnswer}. */
export const licenseKeyAnswerSchema: z.ZodMiniType<LicenseKeyAnswer> = z.object({ data: licenseKeySchema })

/** Reads a {@link LicenseKeysAnswer}; `links` of an unknown shape count as no links. */
export const licenseKeysAnswerSchema: z.ZodMiniType<LicenseKeysAnswer> = z.object({
  data: z.array(licenseKeySchema),
  links: z.catch(z.optional(z.object({ next: z.optional(z.nullable(z.string())) })), undefined),
})
