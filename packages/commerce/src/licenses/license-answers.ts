import * as z from 'zod/mini'
import { anyIdSchema, uuidSchema } from '../formats/wire-formats.ts'
import { type License, licenseSchemaOf } from './license.ts'
import { type LicenseKey, licenseKeySchemaOf } from './license-key.ts'
import { type PageReport, pageReportOf } from './page-report.ts'

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
  /** What the answer reports about its list, in any form that is known. */
  report: PageReport
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
  const rawKeysAnswer = z.looseObject({
    // If none of the items is a key, this isn't a list of keys, so don't read it as "no keys".
    data: z.array(z.unknown()).check(z.refine((items) => items.length === 0 || items.some(isKey))),
  })
  const licenseKeysAnswer = z.pipe(
    rawKeysAnswer,
    z.transform(({ data, ...rest }): LicenseKeysAnswer => {
      const keys = data.flatMap((item) => {
        const reading = key.safeParse(item)
        return reading.success ? [reading.data] : []
      })
      const report = pageReportOf(rest)
      const { next, omitted, total, currentPage: current_page, lastPage: last_page } = report
      const unreadableCount = data.length - keys.length + (omitted ?? 0)
      const meta = { total, current_page, last_page }
      return { data: keys, unreadableCount, links: { next }, meta, report }
    }),
  )
  return {
    activation: z.object({ license, key }),
    validation: z.object({ license, key }),
    licenseKeyAnswer: z.object({ data: key }),
    licenseKeysAnswer,
  }
}

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
 * Parses a {@link LicenseKeysAnswer}. Items that aren't keys are skipped and counted. Page information of an unknown
 * shape doesn't fail: `report.isUnclear` is then true.
 */
export const licenseKeysAnswerSchema: z.ZodMiniType<LicenseKeysAnswer> = uuidSchemas.licenseKeysAnswer
