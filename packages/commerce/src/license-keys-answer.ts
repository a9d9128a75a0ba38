import * as z from 'zod/mini'
import { type LicenseKey, licenseKeySchema } from './license-key.ts'

/** The answer to *list keys*. Whether it is paged is not documented, so `links` may be there or not. */
export interface LicenseKeysAnswer {
  data: LicenseKey[]
  links?: { next?: string | null | undefined } | undefined
}

/** Reads a {@link LicenseKeysAnswer}; `links` of an unknown shape count as no links. */
export const licenseKeysAnswerSchema: z.ZodMiniType<LicenseKeysAnswer> = z.object({
  data: z.array(licenseKeySchema),
  links: z.catch(z.optional(z.object({ next: z.optional(z.nullable(z.string())) })), undefined),
})
