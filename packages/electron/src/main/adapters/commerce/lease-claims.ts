import { readFeatures, readPlan } from '@latchkey/commerce'
import * as v from 'valibot'

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
  /** The plan; absent if the gateway knows none. */
  readonly plan?: string | null | undefined
  /** The features; absent if the gateway knows none. */
  readonly feat?: readonly string[] | undefined
  readonly nonce: string
  readonly iat: number
  readonly exp: number
}

const integer = v.pipe(v.number(), v.safeInteger())

const termsShape = {
  plan: v.optional(v.pipe(v.unknown(), v.transform(readPlan))),
  feat: v.optional(v.pipe(v.unknown(), v.transform(readFeatures))),
}

export const leaseClaimsSchema: v.GenericSchema<unknown, LeaseClaims> = v.object({
  iss: v.literal('latchkey-gateway'),
  lid: v.string(),
  key: v.string(),
  fp: v.nullable(v.string()),
  ent: v.boolean(),
  sta: v.string(),
  sus: v.nullable(v.string()),
  lex: v.nullable(v.string()),
  ...termsShape,
  nonce: v.string(),
  iat: integer,
  exp: integer,
})

/** The `typ` of a lease. */
export const leaseType = 'latchkey-lease+jwt'

/** The `typ` of an answer to a computer without internet. */
export const offlineType = 'latchkey-offline+jwt'

/** The claims of such an answer that matter at a launch; the others are read when it is used. */
export const offlineLeaseSchema: v.GenericSchema<
  unknown,
  Omit<LeaseClaims, 'ent' | 'sta' | 'sus' | 'nonce'>
> = v.object({
  iss: v.literal('latchkey-gateway'),
  lid: v.string(),
  key: v.string(),
  fp: v.string(),
  lex: v.nullable(v.string()),
  ...termsShape,
  iat: integer,
  exp: integer,
})

export const leaseProtectedHeaderSchema: v.GenericSchema<
  unknown,
  { readonly kid: string; readonly typ: string }
> = v.object({
  alg: v.literal('EdDSA'),
  typ: v.string(),
  kid: v.string(),
  // Reject a lease with critical extensions, because none is supported.
  crit: v.optional(v.undefined()),
})
