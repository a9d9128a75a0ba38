import { isSameId } from '@latchkey/commerce'
import type { LicenseService } from '@latchkey/services'
import * as z from 'zod/mini'
import { type ProblemCode, problemMessages } from '../shared/problem.ts'
import type { DeviceIdentity } from './ports.ts'

/**
 * Everything that Latchkey remembers: what a person wants, what this device holds, and which seats it owes. Sealed on
 * disk as one sealed JSON text. Times are milliseconds since the epoch on the high-water mark.
 */
export interface LicenseRecord {
  /** Name of the service that wanted and owed entries belong to; `null` before anything was asked. */
  readonly service: string | null
  /** The license that a person wants on this device. */
  readonly wanted: Wanted | null
  /** The license that this device holds. */
  readonly activation: ActivationRecord | null
  /** Seats to give back. */
  readonly owed: readonly Owed[]
  /** A request that was shown to be answered on another device. */
  readonly offline: OpenOfflineRequest | null
  readonly clock: StoredClock
  readonly trial: { readonly startedAtMs: number } | null
  /** The license key that an administrator provided; `null` if there never was one. */
  readonly provisioned: Provisioned | null
}

/** A license that a person wants here. */
export interface Wanted {
  readonly licenseKey: string
  /** When the person asked for it last. */
  readonly sinceMs: number
  /** When the first request was sent that may have taken a seat and wasn't answered; `null` if there was none. */
  readonly askedAtMs: number | null
}

/** What became of a license key that an administrator provided. */
export interface Provisioned {
  readonly licenseKey: string
  /** The key before it, which stays in use until this one is activated; `null` if there was none. */
  readonly earlierKey: string | null
  /** When it was last tried because of that. */
  readonly sinceMs: number
  /** Why it can't be used; `null` if nothing is known against it. */
  readonly refusal: ProblemCode | null
  /** Whether a person deactivated this device since. Then only another key is activated without being asked. */
  readonly isDeclined: boolean
}

/** The seat of a known activation to give back. */
export type OwedId = Owed & { readonly activationId: string }

/** A seat to give back. */
export interface Owed {
  readonly licenseKey: string
  /** `null`: any activation that this device made since then, except the one in use. */
  readonly activationId: string | null
  readonly sinceMs: number
  /**
   * Until when an unanswered request may still take effect: an activation if `activationId` is `null`, otherwise a
   * deactivation. `null` if there is none.
   */
  readonly untilMs: number | null
  /** Whether the license's list was ever seen with an activation: see {@link ActivationRecord.isListed}. */
  readonly wasListed: boolean
  /** Since when a service without a list says that it doesn't know this activation; `null` if it knows it. */
  readonly unknown: UnknownSince | null
  /** The address that frees it from another device; `null` unless it was activated without internet. */
  readonly releaseLink: string | null
}

/** Since when a service says that it doesn't know something. The same answer a day later is the proof. */
export interface UnknownSince {
  readonly reason: string
  readonly sinceMs: number
}

/**
 * The service's last definite answer about this device's activation. `copied`: it is another computer's, from which this one
 * was set up. Its seat is never used or given back from here.
 */
export type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive' | 'revoked' | 'copied'

/** This device's activation. */
export interface ActivationRecord {
  readonly licenseKey: string
  readonly activationId: string
  /** The service that knows it. */
  readonly service: string
  /** The device it was made on. It reveals a record that was copied to another machine. */
  readonly fingerprint: string
  readonly license: LicenseOnRecord
  readonly activatedAtMs: number
  readonly verdict: Verdict
  /** When the service last gave a definite answer. */
  readonly decidedAtMs: number
  /** When the service last confirmed the license. Grace is counted from here. */
  readonly validAtMs: number
  /** Whether the license's list was ever seen with an activation. Only then can an empty list prove anything. */
  readonly isListed: boolean
  readonly unknown: UnknownSince | null
  /** The signed statement that entitles this device; `null` unless statements are signed. */
  readonly lease: StoredLease | null
  /** The signed answer that activated this device without internet, and the secret of its release code. */
  readonly offline: (StoredLease & { readonly secret: string }) | null
}

/** What the service said about a license. */
export interface LicenseOnRecord {
  /** `null` if the service didn't say, or there is no limit. */
  readonly activationLimit: number | null
  /** `null` if the service didn't say. */
  readonly activationUsage: number | null
  /** When it ends, as the service wrote it; `null` if it has no end, or the service doesn't tell it. */
  readonly expiresAt: string | null
  readonly isEndUnknown: boolean
  /** The service's own word for the status. */
  readonly status: string
  readonly plan: string | null
  /** The customer's name; `null` if the service didn't say. */
  readonly licensee: string | null
  readonly features: readonly string[]
}

/** A stored lease. It is verified again at every launch. Both times are 0 if its signature isn't trusted. */
export interface StoredLease {
  readonly jws: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** A request that was shown to be answered on another device. */
export interface OpenOfflineRequest {
  readonly licenseKey: string
  /** The answer must repeat it. */
  readonly nonce: string
  /** Signs the release code when this device is deactivated. */
  readonly secret: string
  readonly requestedAtMs: number
}

/** The high-water mark, and what the wall clock showed at that moment. */
export interface StoredClock {
  readonly markMs: number
  readonly wallMs: number
}

/** The record of a device on which nothing has happened yet. */
export const emptyRecord: LicenseRecord = {
  service: null,
  wanted: null,
  activation: null,
  owed: [],
  offline: null,
  clock: { markMs: 0, wallMs: 0 },
  trial: null,
  provisioned: null,
}

/** How long an unanswered request may still take effect, in milliseconds. */
export const longestDeliveryMs: number = 10 * 60 * 1000

const dayMs = 24 * 60 * 60 * 1000

/** How far apart two answers must be to prove that a service doesn't know an activation, in milliseconds. */
export const proofAfterMs: number = dayMs

/** After this time, a seat that can't be given back is left to the device list, in milliseconds. */
export const longestOwedMs: number = 30 * dayMs

const text = z.string().check(z.minLength(1))
const amount = z.number()
const nullable = z.nullable
const unknownSchema = nullable(z.object({ reason: z.string(), sinceMs: amount }))
const problemCode = z.custom<ProblemCode>((value) => Object.hasOwn(problemMessages, String(value)))
const leaseShape = { jws: text, issuedAtMs: amount, expiresAtMs: amount }

const recordSchema = z.object({
  service: nullable(text),
  wanted: nullable(z.object({ licenseKey: text, sinceMs: amount, askedAtMs: nullable(amount) })),
  activation: nullable(
    z.object({
      licenseKey: text,
      activationId: text,
      service: text,
      fingerprint: z.string(),
      license: z.object({
        activationLimit: nullable(amount),
        activationUsage: nullable(amount),
        expiresAt: nullable(z.string()),
        isEndUnknown: z.boolean(),
        status: z.string(),
        plan: nullable(z.string()),
        licensee: nullable(z.string()),
        features: z.array(z.string()),
      }),
      activatedAtMs: amount,
      verdict: z.enum(['valid', 'expired', 'suspended', 'inactive', 'revoked', 'copied']),
      decidedAtMs: amount,
      validAtMs: amount,
      isListed: z.boolean(),
      unknown: unknownSchema,
      lease: nullable(z.object(leaseShape)),
      offline: nullable(z.object({ ...leaseShape, secret: text })),
    }),
  ),
  owed: z.array(
    z.object({
      licenseKey: text,
      activationId: nullable(text),
      sinceMs: amount,
      untilMs: nullable(amount),
      wasListed: z.boolean(),
      unknown: unknownSchema,
      releaseLink: nullable(text),
    }),
  ),
  offline: nullable(z.object({ licenseKey: text, nonce: text, secret: text, requestedAtMs: amount })),
  clock: z.object({ markMs: amount, wallMs: amount }),
  trial: nullable(z.object({ startedAtMs: amount })),
  provisioned: nullable(
    z.object({
      licenseKey: text,
      earlierKey: nullable(text),
      sinceMs: amount,
      refusal: nullable(problemCode),
      isDeclined: z.boolean(),
    }),
  ),
})

/** Parses a record; `null` if the text isn't one. */
export function parseRecord(json: string): LicenseRecord | null {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(json))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Whether a record holds anything. An empty one needs no file and must not replace one. */
export function isWorthKeeping(record: LicenseRecord): boolean {
  const { wanted, activation, owed, offline, trial, provisioned } = record
  const isEmpty = [wanted, activation, offline, trial, provisioned].every((part) => part === null)
  return !isEmpty || owed.length > 0
}

/**
 * A person wants this license here. What the earlier wish may have taken stays owed.
 *
 * @param wasAsked whether an earlier wish for it may have taken a seat, even if it was given up.
 */
export function withWanted(
  record: LicenseRecord,
  licenseKey: string,
  service: string,
  nowMs: number,
  wasAsked: boolean,
): LicenseRecord {
  const { wanted } = record
  const askedAtMs = wanted !== null && isSameId(wanted.licenseKey, licenseKey) ? wanted.askedAtMs : null
  return {
    ...record,
    service,
    wanted: { licenseKey, sinceMs: nowMs, askedAtMs: askedAtMs ?? (wasAsked ? nowMs : null) },
  }
}

/** How long a provided key that is refused, or that waits for the service, isn't tried anew, in milliseconds. */
const provisionAgainMs = dayMs / 2

/**
 * An administrator provided this license key. It is wanted if nothing is activated here, or in place of an earlier key that
 * was provided. What a person entered stays, and what a person deactivated isn't activated again.
 */
export function withProvided(
  record: LicenseRecord,
  licenseKey: string,
  service: string,
  nowMs: number,
): LicenseRecord {
  const { wanted, provisioned: before } = record
  const activation = record.activation?.verdict === 'copied' ? null : record.activation
  const isOwn = (entered: { readonly licenseKey: string } | null): boolean =>
    entered !== null && !isProvisioned(record, entered.licenseKey)
  if (isOwn(activation) || isOwn(wanted)) return record
  if (before !== null && isSameId(before.licenseKey, licenseKey)) {
    const isHeld = wanted === null && activation !== null && isSameId(activation.licenseKey, licenseKey)
    if (isHeld || before.isDeclined || nowMs - before.sinceMs < provisionAgainMs) return record
  }
  const provisioned: Provisioned = {
    licenseKey,
    earlierKey: activation?.licenseKey ?? null,
    sinceMs: nowMs,
    refusal: null,
    isDeclined: false,
  }
  return { ...withWanted(record, licenseKey, service, nowMs, false), provisioned }
}

/** Whether an administrator provided this license key. */
function isProvisioned({ provisioned }: LicenseRecord, licenseKey: string): boolean {
  if (provisioned === null) return false
  const { earlierKey } = provisioned
  return (
    isSameId(provisioned.licenseKey, licenseKey) || (earlierKey !== null && isSameId(earlierKey, licenseKey))
  )
}

/** The service refused the license key that an administrator provided. */
export function withRefusal(record: LicenseRecord, licenseKey: string, refusal: ProblemCode): LicenseRecord {
  const { provisioned } = record
  return provisioned !== null && isSameId(provisioned.licenseKey, licenseKey)
    ? { ...record, provisioned: { ...provisioned, refusal } }
    : record
}

/** A person deactivated this device, which the key that an administrator provides doesn't undo. */
export function withProvidedDeclined(
  record: LicenseRecord,
  provided: string | null,
  nowMs: number,
): LicenseRecord {
  const licenseKey = provided ?? record.provisioned?.licenseKey ?? null
  return licenseKey === null
    ? record
    : {
        ...record,
        provisioned: { licenseKey, earlierKey: null, sinceMs: nowMs, refusal: null, isDeclined: true },
      }
}

/** Nobody wants this license here anymore. */
export function withoutWanted(record: LicenseRecord, licenseKey: string): LicenseRecord {
  const { wanted } = record
  return wanted !== null && isSameId(wanted.licenseKey, licenseKey) ? { ...record, wanted: null } : record
}

/** Returns the record with seats of a license to give back, each once. An earlier entry of the same seat counts. */
export function withOwed(
  record: LicenseRecord,
  licenseKey: string,
  activationIds: readonly string[],
  nowMs: number,
  wasListed = false,
): LicenseRecord {
  const { owed } = record
  const isKnown = (id: string): boolean =>
    heldAs(record, id) !== null || owed.some((entry) => isOwedId(entry, id))
  const added = activationIds
    .filter((id) => !isKnown(id))
    .map((id): Owed => ({ ...newOwed(licenseKey, id, nowMs, null), wasListed }))
  return added.length === 0 ? record : { ...record, owed: [...owed, ...added] }
}

/** Creates the entry for a seat to give back. */
export function newOwed<Id extends string | null>(
  licenseKey: string,
  activationId: Id,
  sinceMs: number,
  untilMs: number | null,
): Owed & { readonly activationId: Id } {
  return { licenseKey, activationId, sinceMs, untilMs, wasListed: false, unknown: null, releaseLink: null }
}

/** What this device holds of a license; `null` if it holds nothing of it. */
export function heldOf({ activation }: LicenseRecord, licenseKey: string): ActivationRecord | null {
  return activation !== null && isSameId(activation.licenseKey, licenseKey) ? activation : null
}

/** What this device holds if it is this activation; `null` otherwise. */
export function heldAs({ activation }: LicenseRecord, activationId: string): ActivationRecord | null {
  const isOwn = activation !== null && activation.verdict !== 'copied'
  return isOwn && isSameId(activation.activationId, activationId) ? activation : null
}

/** Whether this is the seat of an activation. The license key of an activation may have been replaced. */
export function isOwedId({ activationId }: Owed, id: string): boolean {
  return activationId !== null && isSameId(activationId, id)
}

/** Whether two entries are the same one: about the same activation, or about any activation of the same license. */
export function isSameOwed(one: Owed, other: Owed): boolean {
  return one.activationId === null
    ? other.activationId === null && isSameId(one.licenseKey, other.licenseKey)
    : isOwedId(other, one.activationId)
}

/** Returns the record with this entry in place of the same one, if it is still owed; without it for `null`. */
export function changeOwed(record: LicenseRecord, entry: Owed, changed: Owed | null): LicenseRecord {
  const owed = record.owed.flatMap((other) => (isSameOwed(other, entry) ? (changed ?? []) : other))
  return { ...record, owed }
}

/** Returns the entry for activations of a license that this device doesn't know; `null` if there is none. */
export function unknownOwed({ owed }: LicenseRecord, licenseKey: string): Owed | null {
  return owed.find((entry) => entry.activationId === null && isSameId(entry.licenseKey, licenseKey)) ?? null
}

/** The wire of the commerce service, which a gateway in front of any service speaks. */
const gatewayWire = 'commerce'

/** Whether the service in use can know what was activated at another one: a gateway may stand between them. */
export function mayKnow(
  service: LicenseService,
  { service: other, licenseKey }: Pick<ActivationRecord, 'service' | 'licenseKey'>,
): boolean {
  if (other === service.name) return true
  if (other !== gatewayWire && service.name !== gatewayWire) return false
  const found = service.findLicenseKey(licenseKey)
  return found.ok && isSameId(found.licenseKey, licenseKey)
}

/** Returns the record with the seat of an activation that this device no longer uses, unless nothing can be given back. */
function withoutSeat(
  record: LicenseRecord,
  left: ActivationRecord,
  service: LicenseService,
  nowMs: number,
): LicenseRecord {
  return left.verdict === 'revoked' || left.verdict === 'copied' || !mayKnow(service, left)
    ? record
    : withOwed(record, left.licenseKey, [left.activationId], nowMs, left.isListed)
}

/** What this device holds from now on. The seat of the earlier activation, and those of others, are owed. */
export function withActivation(
  record: LicenseRecord,
  service: LicenseService,
  made: ActivationRecord,
  otherIds: readonly string[],
  nowMs: number,
): LicenseRecord {
  const { activation: before } = record
  const owed = record.owed.filter((entry) => !isOwedId(entry, made.activationId))
  const sameSeat = heldAs(record, made.activationId)
  // An answer works once. Activating the same seat online as well doesn't end what it grants.
  const offline = made.offline ?? sameSeat?.offline ?? null
  const held: LicenseRecord = {
    ...withoutWanted(record, made.licenseKey),
    service: made.service,
    activation: { ...made, offline },
    offline: made.offline === null ? record.offline : null,
    owed,
  }
  const next = withOwed(held, made.licenseKey, otherIds, nowMs, true)
  return before === null || sameSeat !== null ? next : withoutSeat(next, before, service, nowMs)
}

/**
 * Ends what a person wanted and what this device held. What another process of the app wanted or activated since stays.
 *
 * @param ended what was on record when the person asked for it.
 */
export function withoutLicense(
  record: LicenseRecord,
  service: LicenseService,
  ended: Pick<LicenseRecord, 'activation' | 'wanted'>,
  nowMs: number,
): LicenseRecord {
  const { activation, wanted } = record
  const isOther =
    activation !== null &&
    (activation.activationId !== ended.activation?.activationId ||
      activation.activatedAtMs !== ended.activation.activatedAtMs)
  if (isOther) return record
  const isOtherWish = wanted !== null && wanted.licenseKey !== ended.wanted?.licenseKey
  // An answer that is still on its way must not activate this device again.
  const left: LicenseRecord = {
    ...record,
    wanted: isOtherWish ? wanted : null,
    activation: null,
    offline: null,
  }
  return activation === null ? left : withoutSeat(left, activation, service, nowMs)
}

/**
 * Before a request is sent that may take a seat: until its answer is read, any activation that this device makes from
 * now on is owed.
 */
export function withRequest(record: LicenseRecord, licenseKey: string, nowMs: number): LicenseRecord {
  const { wanted } = record
  if (wanted === null) return record
  const before = unknownOwed(record, licenseKey)
  const sinceMs = before === null ? nowMs : before.sinceMs
  const rest = before === null ? record : changeOwed(record, before, null)
  return {
    ...rest,
    wanted: { ...wanted, askedAtMs: wanted.askedAtMs ?? nowMs },
    owed: [...rest.owed, newOwed(licenseKey, null, sinceMs, nowMs + longestDeliveryMs)],
  }
}

/** After an answer that proves that the last request took no seat beyond what it says: as before it was sent. */
export function withoutRequest(
  record: LicenseRecord,
  licenseKey: string,
  before: Pick<LicenseRecord, 'wanted' | 'owed'>,
): LicenseRecord {
  const sent = unknownOwed(record, licenseKey)
  const earlier = unknownOwed({ ...record, owed: before.owed }, licenseKey)
  const next = sent === null ? record : changeOwed(record, sent, earlier)
  const { wanted } = record
  return wanted === null
    ? next
    : { ...next, wanted: { ...wanted, askedAtMs: before.wanted?.askedAtMs ?? null } }
}

/** The dates of a record that lie in the past. What was signed keeps its dates. */
const pastDates: ReadonlySet<string> = new Set([
  'sinceMs',
  'askedAtMs',
  'activatedAtMs',
  'decidedAtMs',
  'validAtMs',
  'requestedAtMs',
  'startedAtMs',
])

/** No date lies in the future: the service's time moved the mark back. */
export function withoutFuture(record: LicenseRecord, nowMs: number): LicenseRecord {
  const json = JSON.stringify(record, (name, value: unknown) => {
    if (typeof value !== 'number') return value
    if (name === 'untilMs') return Math.min(value, nowMs + longestDeliveryMs)
    return pastDates.has(name) ? Math.min(value, nowMs) : value
  })
  return parseRecord(json) ?? record
}

/** The recorded identity stays if the machine ID couldn't be read then, which is noted now, or can't be read now. */
export function settleIdentity(known: DeviceIdentity | null, found: DeviceIdentity): DeviceIdentity {
  const { label, source, fingerprint } = found
  if (known === null) return found
  if (source === 'random') return { ...known, label }
  const isReadable = known.source === 'random' && source === 'machine-id'
  return isReadable ? { ...known, label, machine: fingerprint } : found
}

/** Identifies the computer, even if its machine ID couldn't be read when it was first identified. */
export function machineOf({ machine, fingerprint }: DeviceIdentity): string {
  return machine ?? fingerprint
}

/** Returns what a computer keeps that was set up from another one: the license key, and how long its trial has run. */
export function copiedRecord({ service, activation, clock, trial }: LicenseRecord): LicenseRecord {
  const copied: ActivationRecord | null = activation && {
    ...activation,
    verdict: 'copied',
    unknown: null,
    lease: null,
    offline: null,
  }
  return { ...emptyRecord, service, activation: copied, clock, trial }
}

/** Whether the record was made on another machine: a copied folder, a restored backup, a cloned disk. */
export function isFromAnotherDevice(known: DeviceIdentity | null, found: DeviceIdentity): boolean {
  if (known === null || found.source === 'random') return false
  const isNoted = known.machine !== undefined && found.source === 'machine-id'
  return (isNoted || known.source === found.source) && machineOf(known) !== found.fingerprint
}
