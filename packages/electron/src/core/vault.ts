import * as z from 'zod/mini'
import type { HighWaterMark } from './high-water-mark.ts'

/** The service's last definite word about this device's key. */
export type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive' | 'revoked'

/** The facts of a License that decisions and screens need, as the service sent them. */
export interface LicenseFacts {
  /** `null` when the answer held no such number. */
  readonly activationLimit: number | null
  /** `null` when the answer held no such number. */
  readonly activationUsage: number | null
  readonly expiresAt: string | null
  readonly suspendedAt: string | null
  readonly status: string
}

/** This device's activation. Moments are milliseconds on the high-water mark. */
export interface ActivationRecord {
  readonly licenseId: string
  readonly keyId: string
  /** The device it was made on: a record copied to another machine is found out by it. */
  readonly fingerprint: string
  readonly activatedAtMs: number
  readonly verdict: Verdict
  /** When the service last gave a definite answer. */
  readonly decidedAtMs: number
  /** When the service last said valid; grace is counted from here. */
  readonly validAtMs: number
  readonly license: LicenseFacts
  /** The gateway's word that this device is entitled, and until when; only where leases are required. */
  readonly lease?: StoredLease | undefined
}

/** A lease as it is kept. What it says is read out of the signed text again at every launch. */
export interface StoredLease {
  readonly jws: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** An activation that was asked for and is not settled. */
export interface PendingActivation {
  readonly licenseId: string
  readonly requestedAtMs: number
  /**
   * Until when a request whose outcome nobody learned may still take a seat: it can be on its way long after its
   * sender gave up. `null` when no request was sent.
   */
  readonly lateUntilMs: number | null
}

/** A seat to be freed as soon as the service can be reached. */
export type PendingRelease =
  | { readonly licenseId: string; readonly keyId: string }
  /** An answer was lost: whatever key of that license bears this device's name, but for the one in use. */
  | {
      readonly licenseId: string
      readonly keyId: null
      /** Until when such a key may still turn up; `null` when one look at the list is enough. */
      readonly lateUntilMs: number | null
    }

/** Everything Latchkey remembers, sealed on disk as one piece. */
export interface Vault {
  readonly activation: ActivationRecord | null
  readonly pending: PendingActivation | null
  readonly outbox: readonly PendingRelease[]
  readonly markMs: number
  /** Reading of the wall clock at the mark, in milliseconds since the epoch; absent where an earlier release wrote. */
  readonly wallMs?: number | undefined
  /** How far the wall clock was ahead of the mark, in milliseconds, never below 0: what earlier releases need. */
  readonly wallAheadMs: number
  readonly trialStartedAtMs: number | null
}

/** What a device knows before anything happened on it. */
export const emptyVault: Vault = {
  activation: null,
  pending: null,
  outbox: [],
  markMs: 0,
  wallAheadMs: 0,
  trialStartedAtMs: null,
}

const licenseFactsSchema: z.ZodMiniType<LicenseFacts> = z.object({
  activationLimit: z.nullable(z.number()),
  activationUsage: z.nullable(z.number()),
  expiresAt: z.nullable(z.string()),
  suspendedAt: z.nullable(z.string()),
  status: z.string(),
})

const pendingSchema: z.ZodMiniType<PendingActivation> = z.object({
  licenseId: z.guid(),
  requestedAtMs: z.number(),
  lateUntilMs: z.nullable(z.number()),
})

const knownReleaseSchema = z.object({ licenseId: z.guid(), keyId: z.guid() })
const unknownReleaseSchema = z.object({
  licenseId: z.guid(),
  keyId: z.null(),
  lateUntilMs: z.nullable(z.number()),
})

const storedLeaseSchema: z.ZodMiniType<StoredLease> = z.object({
  jws: z.string(),
  issuedAtMs: z.number(),
  expiresAtMs: z.number(),
})

/**
 * The sealed text's shape, version 2. A field added to it is optional and an earlier release drops it: with a new version
 * that release would leave the record alone, and a customer who goes back to it would have no license.
 */
export const vaultSchema: z.ZodMiniType<Vault> = z.object({
  activation: z.nullable(
    z.object({
      licenseId: z.guid(),
      keyId: z.guid(),
      fingerprint: z.string(),
      activatedAtMs: z.number(),
      verdict: z.enum(['valid', 'expired', 'suspended', 'inactive', 'revoked']),
      decidedAtMs: z.number(),
      validAtMs: z.number(),
      license: licenseFactsSchema,
      lease: z.optional(storedLeaseSchema),
    }),
  ),
  pending: z.nullable(pendingSchema),
  outbox: z.array(z.union([knownReleaseSchema, unknownReleaseSchema])),
  markMs: z.number(),
  wallAheadMs: z.number(),
  wallMs: z.optional(z.number()),
  trialStartedAtMs: z.nullable(z.number()),
})

/** The mark as it was saved, taken up by a process whose monotonic clock shows `monotonicMs`. */
export function markOf({ markMs, wallMs, wallAheadMs }: Vault, monotonicMs: number): HighWaterMark {
  return { atMs: markMs, wallMs: wallMs ?? markMs + wallAheadMs, monotonicMs }
}

/** The vault with a mark to save. */
export function withMark(vault: Vault, { atMs, wallMs }: HighWaterMark): Vault {
  return { ...vault, markMs: atMs, wallMs, wallAheadMs: Math.max(0, wallMs - atMs) }
}
