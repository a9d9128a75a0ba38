import * as z from 'zod/mini'

// https://docs.dodopayments.com/api-reference/licenses/activate-license
// Only fields that Latchkey needs are required.

/** The response to *activate*. */
export interface DodoActivation {
  id: string
  license_key_id?: string | null | undefined
  name?: string | null | undefined
  created_at?: string | null | undefined
  product: { product_id: string }
}

/** An item of `GET /license_key_instances`. */
export type DodoInstance = Omit<DodoActivation, 'product'>

export const text: z.ZodMiniType<string | null | undefined> = z.catch(z.nullish(z.string()), undefined)

export const activationSchema: z.ZodMiniType<DodoActivation> = z.object({
  id: z.string(),
  license_key_id: text,
  name: text,
  created_at: text,
  product: z.object({ product_id: z.string() }),
})

/** The response to *validate*. */
export const validationSchema: z.ZodMiniType<{ valid: boolean }> = z.object({ valid: z.boolean() })

/** The body of every refusal. */
export const errorSchema: z.ZodMiniType<{ code: string }> = z.object({
  code: z.string().check(z.regex(/^[A-Z_]+$/)),
})
