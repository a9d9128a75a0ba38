import * as z from 'zod/mini'
import type { SignedResponse } from './signature.ts'

const signedResponseSchema = z.object({
  method: z.string(),
  target: z.string(),
  host: z.string(),
  date: z.string(),
  body: z.string(),
  signature: z.string(),
})

/** A stored response to *validate key*, with the response that lists the license's entitlements, if it was requested. */
export interface KeptProof extends SignedResponse {
  readonly entitlements?: SignedResponse | undefined
}

const proofSchema: z.ZodMiniType<KeptProof> = z.extend(signedResponseSchema, {
  entitlements: z.optional(signedResponseSchema),
})

/** Parses a stored response; `null` if it isn't one. */
export function parseProof(proof: string): KeptProof | null {
  try {
    const parsed = proofSchema.safeParse(JSON.parse(proof))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
