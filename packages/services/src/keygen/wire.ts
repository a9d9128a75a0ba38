import * as z from 'zod/mini'

// https://keygen.sh/docs/api/licenses/#licenses-actions-validate-key
// Only fields that Latchkey needs are required.

/** The response to *validate key*. */
export interface ValidateAnswer {
  meta: {
    valid: boolean
    code: string
    ts?: string | null | undefined
    nonce?: number | undefined
    scope?: { fingerprint?: string | undefined; product?: string | undefined } | null | undefined
  }
  data: KeygenLicense | null
}

export interface KeygenLicense {
  id: string
  attributes: {
    key?: string | null | undefined
    name?: string | null | undefined
    expiry?: string | null | undefined
    maxMachines?: number | null | undefined
    metadata?:
      | { plan?: string | null | undefined; features?: readonly unknown[] | null | undefined }
      | null
      | undefined
  }
  relationships?: { machines?: { meta?: { count?: number | undefined } | undefined } | undefined } | undefined
}

export const text: z.ZodMiniType<string | null | undefined> = z.catch(z.nullish(z.string()), undefined)
const list = z.catch(z.nullish(z.array(z.unknown())), undefined)
const count = z.catch(z.nullish(z.number()), undefined)

export const validateAnswerSchema: z.ZodMiniType<ValidateAnswer> = z.object({
  meta: z.object({
    valid: z.boolean(),
    code: z.string(),
    ts: text,
    nonce: z.optional(z.number()),
    scope: z.nullish(z.object({ fingerprint: z.optional(z.string()), product: z.optional(z.string()) })),
  }),
  data: z.nullable(
    z.object({
      id: z.string(),
      attributes: z.object({
        key: text,
        name: text,
        expiry: text,
        maxMachines: count,
        metadata: z.catch(z.nullish(z.object({ plan: text, features: list })), undefined),
      }),
      relationships: z.catch(
        z.optional(
          z.object({
            machines: z.optional(z.object({ meta: z.optional(z.object({ count: z.optional(z.number()) })) })),
          }),
        ),
        undefined,
      ),
    }),
  ),
})

/** The body of every refusal. */
export const errorsSchema: z.ZodMiniType<{ errors: { code?: string | undefined }[] }> = z.object({
  errors: z.array(z.object({ code: z.optional(z.string()) })),
})
