import * as z from 'zod/mini'

/** The `typ` of an answer's protected header. A lease has another one, so neither passes for the other. */
export const offlineType = 'latchkey-offline+jwt'

/** What an answer says. Times are whole seconds since the epoch, by the clock of the machine that signed it. */
export interface OfflineClaims {
  readonly iss: 'latchkey-gateway'
  /** The `appId` of the app that asked. */
  readonly app: string
  /** Which license: base64url of the SHA-256 of its license key, as in a lease. */
  readonly lid: string
  /** Id of the activation. */
  readonly key: string
  /** Fingerprint of the device that asked. */
  readonly fp: string
  /** The license's raw status. */
  readonly sta: string
  /** The license's end; `null` if it has none. */
  readonly lex: string | null
  /** The plan; absent if none is known. */
  readonly plan?: string | null | undefined
  /** What the license includes; absent if nothing is known. */
  readonly feat?: readonly string[] | undefined
  /** How many devices the license allows; `null` if the service didn't say. */
  readonly lim: number | null
  /** How many of them are in use. */
  readonly use: number | null
  /** The request's nonce. */
  readonly nonce: string
  /** What a release code of this device begins with, see `sealReleaseTicket`; absent if it can't make one. */
  readonly rel?: string | undefined
  readonly iat: number
  /** Until when the device may run, never beyond the license's own end. */
  readonly exp: number
}

/** Reads {@link OfflineClaims}. Claims it doesn't know are dropped, so that a newer gateway may add some. */
export const offlineClaimsSchema: z.ZodMiniType<OfflineClaims> = z.object({
  iss: z.literal('latchkey-gateway'),
  app: z.string(),
  lid: z.string(),
  key: z.string(),
  fp: z.string(),
  sta: z.string(),
  lex: z.nullable(z.string()),
  plan: z.optional(z.nullable(z.string())),
  feat: z.optional(z.array(z.string())),
  lim: z.nullable(z.number()),
  use: z.nullable(z.number()),
  nonce: z.string(),
  rel: z.optional(z.string()),
  iat: z.int(),
  exp: z.int(),
})
