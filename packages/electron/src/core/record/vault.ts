import * as v from 'valibot'
import type { HighWaterMark } from '../time/high-water-mark.ts'
import type { UnknownReason } from './reading.ts'

/** The service's last definite answer about this device's key. */
export type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive' | 'revoked'

/** The license facts that decisions and screens need, as the service sent them. */
export interface LicenseFacts {
  /** `null` if the answer had no such number. */
  readonly activationLimit: number | null
  /** `null` if the answer had no such number. */
  readonly activationUsage: number | null
  /** `null` if the license has no end, or the service doesn't tell it. */
  readonly expiresAt: string | null
  /** Whether the service doesn't tell the end. Absent if it does. */
  readonly isEndUnknown?: boolean | undefined
  readonly suspendedAt: string | null
  readonly status: string
  /** The plan in the last answer with one; `null` if it has none. Absent if no answer reported it. */
  readonly plan?: string | null | undefined
  /** The features in the last answer with them. Absent if no answer reported them. */
  readonly features?: readonly string[] | undefined
}

/** Plan and features. Unknown ones are absent. */
export type ToldTerms = Pick<LicenseFacts, 'plan' | 'features'>

/** Returns only the plan and features that were reported. */
export function toldTerms({ plan, features }: ToldTerms): ToldTerms {
  return { ...(plan !== undefined && { plan }), ...(features !== undefined && { features }) }
}

/** This device's activation. Times are milliseconds on the high-water mark. */
export interface ActivationRecord {
  readonly licenseId: string
  readonly keyId: string
  /** The device it was made on. It reveals a record that was copied to another machine. */
  readonly fingerprint: string
  /** The service it belongs to, if the app uses another one by now. `unnamed` stands for one that the record didn't name. */
  readonly service?: string | undefined
  /**
   * Whether the record named no service when this app's service first read it, so that it may belong to another one.
   * Absent once that service has confirmed the activation.
   */
  readonly isUnconfirmed?: boolean | undefined
  readonly activatedAtMs: number
  readonly verdict: Verdict
  /** When the service last gave a definite answer. */
  readonly decidedAtMs: number
  /** When the activation was first found missing. Absent if it isn't. */
  readonly revokedAtMs?: number | undefined
  /** When the service last confirmed the license. Grace is counted from here. */
  readonly validAtMs: number
  readonly license: LicenseFacts
  /** Since when the service says that it doesn't know this activation, and why. Absent while it knows it. */
  readonly unknown?: { readonly reason: UnknownReason; readonly sinceMs: number } | undefined
  /** The gateway's signed lease for this device. Only set if leases are required. */
  readonly lease?: StoredLease | undefined
  /** The signed answer that activated this device without internet. Absent if none did. */
  readonly offline?: StoredAnswer | undefined
}

/** A stored lease. Its content is read from the signed text at every launch. Both times are 0 if that isn't trusted. */
export interface StoredLease {
  readonly jws: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** A stored answer to a request. */
export interface StoredAnswer extends StoredLease {
  /** The request's secret. */
  readonly secret: string
}

/** A request that was shown to be answered on another device. */
export interface OpenOfflineRequest {
  readonly licenseId: string
  /** The answer must repeat it. */
  readonly nonce: string
  readonly requestedAtMs: number
  /** Signs the release code when this device is deactivated. */
  readonly secret: string
}

/** An activation that was requested but isn't finished. */
export interface PendingActivation {
  readonly licenseId: string
  readonly requestedAtMs: number
  /**
   * Until when a request of unknown outcome may still take a seat. It can take effect long after we stopped waiting for
   * it. `null` if no request was sent.
   */
  readonly lateUntilMs: number | null
  /** The same for the requests before the last one. Absent if there were none. */
  readonly earlierUntilMs?: number | undefined
  /** How many seats were in use before the last request. Absent if the service doesn't report it. */
  readonly seatsBefore?: number | undefined
}

/** A seat to free as soon as the service can be reached. */
export type PendingRelease =
  | {
      readonly licenseId: string
      readonly keyId: string
      /** Until when an unanswered DELETE may still free this seat. Absent if there is none. */
      readonly lateUntilMs?: number | undefined
      /** Since when a service that doesn't list activations says that it doesn't know this one. */
      readonly unknownSinceMs?: number | undefined
      /** What it has said since then. */
      readonly unknownReason?: string | undefined
      /** The address that frees it from another device. Absent unless it was activated without internet. */
      readonly releaseLink?: string | undefined
      /** What that address is made of, as long as it couldn't be made. */
      readonly unmadeCode?: { readonly jws: string; readonly secret: string } | undefined
    }
  | UnknownRelease

/** An answer was lost. Any key of that license with this device's name is meant, except the one in use. */
export interface UnknownRelease {
  readonly licenseId: string
  readonly keyId: null
  /** Until when such a key may still appear; `null` if reading the list once is enough. */
  readonly lateUntilMs: number | null
  /** Set if the service has refused to list the keys ever since the search began: when it did so first. */
  readonly refusedSinceMs?: number | undefined
  /** When it did so last, if the search asks for the list once a day. Absent if the activation succeeded. */
  readonly askedAtMs?: number | undefined
}

/** A seat to free whose key is known. */
export type KnownRelease = Extract<PendingRelease, { keyId: string }>

/** A key whose seat was freed recently, and when. Another process may have seen it before. */
export type FreedKey = Pick<KnownRelease, 'licenseId' | 'keyId'> & { readonly atMs: number }

/** Everything that Latchkey remembers, sealed on disk as one document. */
export interface Vault {
  readonly activation: ActivationRecord | null
  readonly pending: PendingActivation | null
  /** Absent if no answer is awaited. */
  readonly offlineRequest?: OpenOfflineRequest | undefined
  readonly outbox: readonly PendingRelease[]
  /** Absent if there are none. */
  readonly freed?: readonly FreedKey[] | undefined
  readonly markMs: number
  /** The wall clock at the mark, in milliseconds since the epoch. */
  readonly wallMs: number
  readonly trialStartedAtMs: number | null
  /** The service that the IDs belong to, such as `polar`. Absent for the commerce service and for a gateway. */
  readonly service?: string | undefined
  /** Absent if there is none. */
  readonly unopened?: UnopenedRecord | undefined
}

/** An earlier record that couldn't be opened when this one replaced it. It is taken over as soon as it opens. */
export interface UnopenedRecord {
  /** The sealed document, as JSON text. */
  readonly document: string
  /** Whether the user deactivated this device since. That ends the earlier activation too. */
  readonly isSignedOut: boolean
}

/** The vault of a device on which nothing has happened yet. */
export const emptyVault: Vault = {
  activation: null,
  pending: null,
  outbox: [],
  markMs: 0,
  wallMs: 0,
  trialStartedAtMs: null,
}

const text = v.string()
const amount = v.pipe(v.number(), v.finite())
const optionalAmount = v.optional(amount)
const optionalText = v.optional(text)

const licenseFactsSchema: v.GenericSchema<unknown, LicenseFacts> = v.object({
  activationLimit: v.nullable(amount),
  activationUsage: v.nullable(amount),
  expiresAt: v.nullable(text),
  isEndUnknown: v.optional(v.boolean()),
  suspendedAt: v.nullable(text),
  status: text,
  plan: v.optional(v.nullable(text)),
  features: v.optional(v.array(text)),
})

/** A license key or an activation's ID. For most services this can be any text, so what was written is also read. */
const id = v.pipe(text, v.minLength(1))

const pendingSchema: v.GenericSchema<unknown, PendingActivation> = v.object({
  licenseId: id,
  requestedAtMs: amount,
  lateUntilMs: v.nullable(amount),
  earlierUntilMs: optionalAmount,
  seatsBefore: optionalAmount,
})

const releaseSchema: v.GenericSchema<unknown, PendingRelease> = v.union([
  v.object({
    licenseId: id,
    keyId: id,
    lateUntilMs: optionalAmount,
    unknownSinceMs: optionalAmount,
    unknownReason: optionalText,
    releaseLink: optionalText,
    unmadeCode: v.optional(v.object({ jws: text, secret: text })),
  }),
  v.object({
    licenseId: id,
    keyId: v.null(),
    lateUntilMs: v.nullable(amount),
    refusedSinceMs: optionalAmount,
    askedAtMs: optionalAmount,
  }),
])

const storedLeaseShape = { jws: text, issuedAtMs: amount, expiresAtMs: amount }

/** The shape of the sealed text. A new field must be optional, so that records without it can be read. */
export const vaultSchema: v.GenericSchema<unknown, Vault> = v.object({
  activation: v.nullable(
    v.object({
      licenseId: id,
      keyId: id,
      fingerprint: text,
      service: optionalText,
      isUnconfirmed: v.optional(v.boolean()),
      activatedAtMs: amount,
      verdict: v.picklist(['valid', 'expired', 'suspended', 'inactive', 'revoked']),
      decidedAtMs: amount,
      revokedAtMs: optionalAmount,
      validAtMs: amount,
      license: licenseFactsSchema,
      unknown: v.optional(
        v.object({ reason: v.picklist(['unknown-license', 'unknown-activation']), sinceMs: amount }),
      ),
      lease: v.optional(v.object(storedLeaseShape)),
      offline: v.optional(v.object({ ...storedLeaseShape, secret: text })),
    }),
  ),
  pending: v.nullable(pendingSchema),
  offlineRequest: v.optional(v.object({ licenseId: id, nonce: text, requestedAtMs: amount, secret: text })),
  outbox: v.array(releaseSchema),
  freed: v.optional(v.array(v.object({ licenseId: id, keyId: id, atMs: amount }))),
  markMs: amount,
  wallMs: amount,
  trialStartedAtMs: v.nullable(amount),
  service: optionalText,
  unopened: v.optional(v.object({ document: text, isSignedOut: v.boolean() })),
})

/** Returns the saved mark for a process whose monotonic clock shows `monotonicMs`. */
export function markOf({ markMs, wallMs }: Vault, monotonicMs: number): HighWaterMark {
  return { atMs: markMs, wallMs, monotonicMs }
}

/** Returns the vault with a mark to save. */
export function withMark(vault: Vault, { atMs, wallMs }: HighWaterMark): Vault {
  return { ...vault, markMs: atMs, wallMs }
}

/** Whether a vault holds anything. An empty one needs no file and must not replace one. */
export function isWorthKeeping(vault: Vault): boolean {
  const { activation, pending, offlineRequest, outbox, trialStartedAtMs, unopened } = vault
  const isEmpty = activation === null && pending === null && outbox.length === 0 && trialStartedAtMs === null
  return !isEmpty || offlineRequest !== undefined || unopened !== undefined
}
