import * as z from 'zod/mini'
import { anyIdSchema, optionalCountSchema, uuidSchema } from '../formats/wire-formats.ts'
import { type License, licenseSchemaOf } from './license.ts'
import { type LicenseKey, licenseKeySchemaOf } from './license-key.ts'

/** The answer to *activate*: the updated license, and the new key. */
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
  /** The service's confirmation message. */
  message: string
}

/** The answer to *show key*. */
export interface LicenseKeyAnswer {
  data: LicenseKey
}

/** The answer to *list keys*. Whether it is paged is not documented, so `links` and `meta` may be missing. */
export interface LicenseKeysAnswer {
  /** The items that can be read. */
  data: LicenseKey[]
  /** How many items were skipped because they have no key id, including those that a gateway reports as omitted. */
  unreadableCount: number
  links?: { next?: string | null | undefined } | undefined
  meta?: { total: number | null; current_page: number | null; last_page: number | null } | undefined
}

/** The schemas of the answers about licenses. */
export interface LicenseAnswerSchemas {
  readonly activation: z.ZodMiniType<Activation>
  readonly validation: z.ZodMiniType<Validation>
  readonly licenseKeyAnswer: z.ZodMiniType<LicenseKeyAnswer>
  readonly licenseKeysAnswer: z.ZodMiniType<LicenseKeysAnswer>
}

function answerSchemasOf(idSchema: z.ZodMiniType<string>): LicenseAnswerSchemas {
  const license = licenseSchemaOf(idSchema)
  const key = licenseKeySchemaOf(idSchema)
  const isKey = (item: unknown): boolean => key.safeParse(item).success
  const rawKeysAnswer = z.object({
    // If none of the items is a key, this isn't a list of keys, so don't read it as "no keys".
    data: z.array(z.unknown()).check(z.refine((items) => items.length === 0 || items.some(isKey))),
    links: z.catch(z.optional(z.object({ next: z.optional(z.nullable(z.string())) })), undefined),
    meta: metaSchema,
  })
  const licenseKeysAnswer = z.pipe(
    rawKeysAnswer,
    z.transform(({ data, links, meta }): LicenseKeysAnswer => {
      const keys = data.flatMap((item) => {
        const reading = key.safeParse(item)
        return reading.success ? [reading.data] : []
      })
      const unreadableCount = data.length - keys.length + (meta?.unreadable ?? 0)
      return { data: keys, unreadableCount, links, meta }
    }),
  )
  return {
    activation: z.object({ license, key }),
    validation: z.object({ license, key }),
    licenseKeyAnswer: z.object({ data: key }),
    licenseKeysAnswer,
  }
}

const metaSchema = z.catch(
  z.optional(
    z.object({
      total: optionalCountSchema,
      current_page: optionalCountSchema,
      last_page: optionalCountSchema,
      // Sent by a gateway: the number of items it omitted.
      unreadable: optionalCountSchema,
    }),
  ),
  undefined,
)

const uuidSchemas = answerSchemasOf(uuidSchema)

/** Returns the schemas for the ids that a client accepts. */
export function answerSchemas(ids: 'uuid' | 'any'): LicenseAnswerSchemas {
  return ids === 'uuid' ? uuidSchemas : answerSchemasOf(anyIdSchema)
}

/** Parses an {@link Activation}. */
export const activationSchema: z.ZodMiniType<Activation> = uuidSchemas.activation

/** Parses a {@link Validation}. */
export const validationSchema: z.ZodMiniType<Validation> = uuidSchemas.validation

/** Parses a {@link Deactivation}. */
export const deactivationSchema: z.ZodMiniType<Deactivation> = z.object({ message: z.string() })

/** Parses a {@link LicenseKeyAnswer}. */
export const licenseKeyAnswerSchema: z.ZodMiniType<LicenseKeyAnswer> = uuidSchemas.licenseKeyAnswer

/**
 * Parses a {@link LicenseKeysAnswer}. Items that aren't keys are skipped and counted. `links` and `meta` of an unknown
 * shape count as missing.
 */
export const licenseKeysAnswerSchema: z.ZodMiniType<LicenseKeysAnswer> = uuidSchemas.licenseKeysAnswer
