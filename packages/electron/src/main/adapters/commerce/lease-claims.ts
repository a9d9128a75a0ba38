import { readFeatures, readPlan } from '@latchkey/commerce'
import * as z from 'zod/mini'

/** The request header that asks for a lease: a fresh random text that the lease must repeat. */
export const nonceHeader = 'latchkey-nonce'

/** The request header that lists the signing keys this app trusts, so that a gateway can change its key. */
export const trustedKeysHeader = 'latchkey-lease-keys'

/** The response header that contains the lease. */
export const leaseHeader = 'latchkey-lease'

/** The raw status of a key that the service no longer knows. */
export const goneStatus = 'GONE'

/** The claims of a gateway's lease; see its documentation. Times are whole seconds since the epoch. */
export interface LeaseClaims {
  readonly lid: string
  readonly key: string
  readonly fp: string | null
  readonly ent: boolean
  readonly sta: string
  readonly sus: string | null
  readonly lex: string | null
  /** The plan. Older gateways don't send one. */
  readonly plan?: string | null | undefined
  /** The features. Older gateways don't send any. */
  readonly feat?: readonly string[] | undefined
  readonly nonce: string
  readonly iat: number
  readonly exp: number
}

const termsShape = {
  plan: z.pipe(z.optional(z.unknown()), z.transform<unknown, LeaseClaims['plan']>(readPlan)),
  feat: z.pipe(z.optional(z.unknown()), z.transform<unknown, LeaseClaims['feat']>(readFeatures)),
}

export const leaseClaimsSchema: z.ZodMiniType<LeaseClaims> = z.object({
  iss: z.literal('latchkey-gateway'),
  lid: z.string(),
  key: z.string(),
  fp: z.nullable(z.string()),
  ent: z.boolean(),
  sta: z.string(),
  sus: z.nullable(z.string()),
  lex: z.nullable(z.string()),
  ...termsShape,
  nonce: z.string(),
  iat: z.int(),
  exp: z.int(),
})

/** The `typ` of a lease. */
export const leaseType = 'latchkey-lease+jwt'

/** The `typ` of an answer to a computer without internet. */
export const offlineType = 'latchkey-offline+jwt'

/** The claims of such an answer that matter at a launch; the others are read when it is used. */
export const offlineLeaseSchema: z.ZodMiniType<Omit<LeaseClaims, 'ent' | 'sta' | 'sus' | 'nonce'>> = z.object(
  {
    iss: z.literal('latchkey-gateway'),
    lid: z.string(),
    key: z.string(),
    fp: z.string(),
    lex: z.nullable(z.string()),
    ...termsShape,
    iat: z.int(),
    exp: z.int(),
  },
)

export const leaseProtectedHeaderSchema: z.ZodMiniType<{ readonly kid: string; readonly typ: string }> =
  z.object({
    alg: z.literal('EdDSA'),
    typ: z.string(),
    kid: z.string(),
    // Reject a lease with critical extensions, because none is supported.
    crit: z.optional(z.undefined()),
  })
