import * as z from 'zod/mini'
import type { HighWaterMark } from '../time/high-water-mark.ts'
import type { UnknownReason } from './reading.ts'

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
  /** When the activation was first found to be gone; absent while it isn't, and where an earlier release wrote. */
  readonly revokedAtMs?: number | undefined
  /** When the service last said valid; grace is counted from here. */
  readonly validAtMs: number
  readonly license: LicenseFacts
  /** Since when, and for which reason, the service says that it doesn't know this activation; absent while it does. */
  readonly unknown?: { readonly reason: UnknownReason; readonly sinceMs: number } | undefined
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
  | {
      readonly licenseId: string
      readonly keyId: string
      /**
       * Until when a DELETE that was sent, and never answered, may still arrive and free this seat. Absent when none is
       * on its way, and where an earlier release wrote.
       */
      readonly lateUntilMs?: number | undefined
      /** Since when a service without a list says that it doesn't know this activation. */
      readonly unknownSinceMs?: number | undefined
    }
  /** An answer was lost: whatever key of that license bears this device's name, but for the one in use. */
  | {
      readonly licenseId: string
      readonly keyId: null
      /** Until when such a key may still turn up; `null` when one look at the list is enough. */
      readonly lateUntilMs: number | null
    }

/** A seat to be freed whose key is known. */
export type KnownRelease = Extract<PendingRelease, { keyId: string }>

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

const unstatedSchema = z.array(z.enum(['activationLimit', 'activationUsage']))

/**
 * The first releases require both numbers and leave a record without them alone. A number that the service didn't state
 * is therefore written as 0 and named in `unstated`, which those releases drop. `null` was written for a while.
 */
const licenseFactsSchema: z.ZodMiniType<LicenseFacts> = z.pipe(
  z.object({
    activationLimit: z.nullable(z.number()),
    activationUsage: z.nullable(z.number()),
    unstated: z.optional(unstatedSchema),
    expiresAt: z.nullable(z.string()),
    suspendedAt: z.nullable(z.string()),
    status: z.string(),
  }),
  z.transform(({ unstated = [], ...facts }) => {
    for (const name of unstated) facts[name] = null
    return facts
  }),
)

/** The vault as it is written, so that earlier releases read it too. */
export function storedVault(vault: Vault): object {
  const { activation } = vault
  return activation === null
    ? vault
    : { ...vault, activation: { ...activation, license: storedFacts(activation.license) } }
}

function storedFacts(facts: LicenseFacts): object {
  const { activationLimit, activationUsage } = facts
  if (activationLimit !== null && activationUsage !== null) return facts
  const unstated = [
    ...(activationLimit === null ? ['activationLimit'] : []),
    ...(activationUsage === null ? ['activationUsage'] : []),
  ]
  return { ...facts, activationLimit: activationLimit ?? 0, activationUsage: activationUsage ?? 0, unstated }
}

/** A license key or an activation's ID: of most services any text. */
const id = z.string().check(z.minLength(1), z.maxLength(1_000))

const pendingSchema: z.ZodMiniType<PendingActivation> = z.object({
  licenseId: id,
  requestedAtMs: z.number(),
  lateUntilMs: z.nullable(z.number()),
})

const knownReleaseSchema = z.object({
  licenseId: id,
  keyId: id,
  lateUntilMs: z.optional(z.number()),
  unknownSinceMs: z.optional(z.number()),
})
const unknownReleaseSchema = z.object({
  licenseId: id,
  keyId: z.null(),
  lateUntilMs: z.nullable(z.number()),
})

const storedLeaseSchema: z.ZodMiniType<StoredLease> = z.object({
  jws: z.string(),
  issuedAtMs: z.number(),
  expiresAtMs: z.number(),
})

/**
 * The sealed text's shape, versions 2 and 3: they differ only in that the IDs of version 2 are UUIDs. A field added to it is optional and an earlier release drops it: with a new version
 * that release would leave the record alone, and a customer who goes back to it would have no license.
 */
export const vaultSchema: z.ZodMiniType<Vault> = z.object({
  activation: z.nullable(
    z.object({
      licenseId: id,
      keyId: id,
      fingerprint: z.string(),
      activatedAtMs: z.number(),
      verdict: z.enum(['valid', 'expired', 'suspended', 'inactive', 'revoked']),
      decidedAtMs: z.number(),
      revokedAtMs: z.optional(z.number()),
      validAtMs: z.number(),
      license: licenseFactsSchema,
      unknown: z.optional(
        z.object({ reason: z.enum(['unknown-license', 'unknown-activation']), sinceMs: z.number() }),
      ),
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

const uuid = z.guid()

/** Whether every ID is a UUID, so that a release which knows only these can read the record. */
export function holdsUuidsOnly({ activation, pending, outbox }: Vault): boolean {
  const ids = [activation, pending, ...outbox].flatMap((part) => {
    if (part === null) return []
    return 'keyId' in part && part.keyId !== null ? [part.licenseId, part.keyId] : [part.licenseId]
  })
  return ids.every((text) => uuid.safeParse(text).success)
}

/** The mark as it was saved, taken up by a process whose monotonic clock shows `monotonicMs`. */
export function markOf({ markMs, wallMs, wallAheadMs }: Vault, monotonicMs: number): HighWaterMark {
  return { atMs: markMs, wallMs: wallMs ?? markMs + wallAheadMs, monotonicMs }
}

/** The vault with a mark to save. */
export function withMark(vault: Vault, { atMs, wallMs }: HighWaterMark): Vault {
  return { ...vault, markMs: atMs, wallMs, wallAheadMs: Math.max(0, wallMs - atMs) }
}

/** Whether a vault holds anything. An empty one needs no file, and must not replace another one. */
export function isWorthKeeping({ activation, pending, outbox, trialStartedAtMs }: Vault): boolean {
  return activation !== null || pending !== null || outbox.length > 0 || trialStartedAtMs !== null
}
