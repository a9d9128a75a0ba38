import * as z from 'zod/mini'

// https://docs.lemonsqueezy.com/api/license-api/validate-license-key
// All responses have the same shape, including refusals. Only fields that Latchkey needs are required.

/** A response of the License API. */
export interface LicenseAnswer {
  activated?: boolean | null | undefined
  valid?: boolean | undefined
  deactivated?: boolean | null | undefined
  error?: string | null | undefined
  license_key?: LicenseKey | null | undefined
  instance?: Instance | null | undefined
  meta?: Meta | null | undefined
}

export interface LicenseKey {
  id: string
  key?: string | null | undefined
  status?: string | null | undefined
  activation_limit?: number | null | undefined
  activation_usage?: number | null | undefined
  expires_at?: string | null | undefined
  test_mode?: boolean | null | undefined
}

export interface Instance {
  id: string
  name?: string | null | undefined
  created_at?: string | null | undefined
}

/** Where the license was bought. */
export interface Meta {
  store_id: string
  product_id: string
  variant_name?: string | null | undefined
}

/** Reads a field of another type as absent, such as `[]`, which PHP writes for an empty object. */
const lenient = <T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | null | undefined> =>
  z.catch(z.nullish(schema), undefined)
export const text: z.ZodMiniType<string | null | undefined> = lenient(z.string())
const count = lenient(z.number())
const flag = lenient(z.boolean())
/** Converts IDs, which are numbers on the wire, to strings. */
export const id: z.ZodMiniType<string> = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

export const licenseAnswerSchema: z.ZodMiniType<LicenseAnswer> = z.object({
  activated: flag,
  // An answer with another type could mean either.
  valid: z.optional(z.boolean()),
  deactivated: flag,
  error: text,
  license_key: lenient(
    z.object({
      id,
      key: text,
      status: text,
      activation_limit: count,
      activation_usage: count,
      expires_at: text,
      test_mode: flag,
    }),
  ),
  instance: lenient(z.object({ id: z.string(), name: text, created_at: text })),
  meta: lenient(z.object({ store_id: id, product_id: id, variant_name: text })),
})
