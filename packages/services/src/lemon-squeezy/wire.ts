import * as z from 'zod/mini'

// https://docs.lemonsqueezy.com/api/license-api/validate-license-key
// All responses have the same shape, including refusals. Only fields that Latchkey needs are required.

/** A response of the License API. */
export interface LicenseAnswer {
  activated?: boolean | undefined
  valid?: boolean | undefined
  deactivated?: boolean | undefined
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

export const text: z.ZodMiniType<string | null | undefined> = z.catch(z.nullish(z.string()), undefined)
const count = z.catch(z.nullish(z.number()), undefined)
const flag = z.optional(z.boolean())
/** Converts IDs, which are numbers on the wire, to strings. */
export const id: z.ZodMiniType<string> = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

export const licenseAnswerSchema: z.ZodMiniType<LicenseAnswer> = z.object({
  activated: flag,
  valid: flag,
  deactivated: flag,
  error: text,
  license_key: z.nullish(
    z.object({
      id,
      key: text,
      status: text,
      activation_limit: count,
      activation_usage: count,
      expires_at: text,
      test_mode: z.catch(z.nullish(z.boolean()), undefined),
    }),
  ),
  instance: z.nullish(z.object({ id: z.string(), name: text, created_at: text })),
  meta: z.nullish(z.object({ store_id: id, product_id: id, variant_name: text })),
})
