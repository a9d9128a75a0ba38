import * as z from 'zod/mini'
import { type License, licenseSchema } from './license.ts'
import { type LicenseKey, licenseKeySchema } from './license-key.ts'
import { optionalCountSchema } from './wire-formats.ts'

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

/** The answer to *list keys*. Whether it is paged is not documented, so `links` and `meta` may be there or not. */
export interface LicenseKeysAnswer {
  /** The items that can be read. */
  data: LicenseKey[]
  /** How many items were skipped because they hold no key id, those included that a gateway says it left out. */
  unreadableCount: number
  links?: { next?: string | null | undefined } | undefined
  meta?: { total: number | null; current_page: number | null; last_page: number | null } | undefined
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

const isKey = (item: unknown): boolean => licenseKeySchema.safeParse(item).success

const rawKeysAnswerSchema = z.object({
  // Items of which none is a key are no list of keys: this device's own could be any of them.
  data: z.array(z.unknown()).check(z.refine((items) => items.length === 0 || items.some(isKey))),
  links: z.catch(z.optional(z.object({ next: z.optional(z.nullable(z.string())) })), undefined),
  meta: z.catch(
    z.optional(
      z.object({
        total: optionalCountSchema,
        current_page: optionalCountSchema,
        last_page: optionalCountSchema,
        // Of a gateway: how many items it left out.
        unreadable: optionalCountSchema,
      }),
    ),
    undefined,
  ),
})

/**
 * Reads a {@link LicenseKeysAnswer}. An item that is no key is skipped and counted; `links` and `meta` of an unknown
 * shape count as absent.
 */
export const licenseKeysAnswerSchema: z.ZodMiniType<LicenseKeysAnswer> = z.pipe(
  rawKeysAnswerSchema,
  z.transform(({ data, links, meta }): LicenseKeysAnswer => {
    const keys = data.flatMap((item) => {
      const reading = licenseKeySchema.safeParse(item)
      return reading.success ? [reading.data] : []
    })
    const unreadableCount = data.length - keys.length + (meta?.unreadable ?? 0)
    return { data: keys, unreadableCount, links, meta }
  }),
)
