import { readFeatures, readPlan, toEndDate } from '@latchkey/commerce'
import type {
  Answer,
  LicenseFacts,
  Outcome,
  Refusal,
  RefusalReason,
  Unavailable,
  UnavailableCause,
} from '@latchkey/services'
import type { ProblemCode } from '../shared/problem.ts'
import { formatTimestamp } from '../shared/timestamp.ts'
import type { Lease } from './ports.ts'
import type { ProblemCause } from './problem.ts'
import type { ActivationRecord, LicenseOnRecord, StoredLease, Verdict } from './record.ts'

/** What the service says about a license: valid, or definitely not valid. */
export interface LicensedReading {
  readonly verdict: Exclude<Verdict, 'revoked' | 'copied'>
  readonly license: LicenseOnRecord
  /** What the service or the gateway signed; `null` if nothing. */
  readonly lease: Lease | null
}

/** An outcome that isn't an answer. */
export type Failure = Refusal | Unavailable

const refusalCodes: Readonly<Record<RefusalReason, ProblemCode>> = {
  'unknown-license': 'license-not-found',
  'unknown-activation': 'unconfirmed',
  'wrong-product': 'wrong-product',
  'test-license': 'test-license-key',
  expired: 'license-expired',
  suspended: 'license-suspended',
  inactive: 'license-inactive',
  'no-seat-left': 'no-seat-left',
}

const causeCodes: Readonly<Record<UnavailableCause, ProblemCode>> = {
  network: 'offline',
  timeout: 'timeout',
  cancelled: 'timeout',
  'rate-limited': 'rate-limited',
  'server-error': 'service-error',
  'access-denied': 'unauthorized',
  'not-found': 'unexpected-answer',
  rejected: 'service-error',
  redirected: 'unexpected-answer',
  'unexpected-answer': 'unexpected-answer',
  'incomplete-answer': 'incomplete-answer',
  'unsigned-answer': 'untrusted-answer',
  misconfigured: 'misconfigured',
}

/** Why a request had no answer, as the cause of a problem. */
export function causeOf(failure: Failure): ProblemCause {
  const { httpStatus } = failure
  const status = httpStatus === null ? {} : { httpStatus }
  if (failure.kind === 'refusal') return { code: refusalCodes[failure.reason], ...status }
  const { cause, retryAfterMs, detail } = failure
  return {
    code: causeCodes[cause],
    ...status,
    ...(cause === 'network' && detail?.startsWith('ERR_') && { networkError: detail }),
    ...(retryAfterMs !== null && { retryAfterMs }),
  }
}

/** Whether a host refused a request. A proxy that lost its route does so too, so this proves nothing alone. */
export function isRefused(outcome: Outcome<unknown>): boolean {
  if (outcome.kind !== 'unavailable') return outcome.kind === 'refusal'
  return outcome.cause === 'not-found' || outcome.cause === 'rejected' || outcome.cause === 'access-denied'
}

/** Whether the service itself refused: for a documented reason, or in the form of its answers, unlike a proxy's page. */
export function isRefusedByService(failure: Failure): boolean {
  return failure.kind === 'refusal' || (isRefused(failure) && failure.bodyIsJson === true)
}

/** The problem for a verdict; `null` for a valid license. */
export function problemOfVerdict(verdict: Verdict): ProblemCode | null {
  return verdictProblems[verdict]
}

const verdictProblems: Readonly<Record<Verdict, ProblemCode | null>> = {
  valid: null,
  expired: 'license-expired',
  suspended: 'license-suspended',
  inactive: 'license-inactive',
  revoked: 'moved-to-another-device',
  copied: 'record-of-another-device',
}

/**
 * Reads the license in an answer. Facts that the service didn't tell keep their last known values.
 *
 * @param known what is on record; `null` for another license.
 * @param wallMs this computer's wall clock.
 */
export function readLicense(
  { value: facts, serverDateMs }: Pick<Answer<LicenseFacts>, 'value' | 'serverDateMs'>,
  known: LicenseOnRecord | null,
  lease: Lease | null,
  wallMs: number,
): LicensedReading {
  const license = licenseOf(facts, known, lease)
  // A lease states whole seconds, so a refusal may have been issued later in that second, after the license had ended.
  const isRefusal = lease !== null && !lease.isEntitled
  const statedMs = isRefusal && serverDateMs !== null ? serverDateMs + 999 : serverDateMs
  const times = { statedMs, isSigned: lease !== null, wallMs }
  return { verdict: verdictOf(facts, endOf(license), times), license, lease }
}

/**
 * Reads a refused *validate* that is definite about the license.
 *
 * @returns `null` if the reason isn't about the license itself, or the service says the same about an unknown license.
 */
export function readRefusal(
  { reason, license: facts, mayBeUnknown }: Refusal,
  known: LicenseOnRecord | null,
  lease: Lease | null,
): LicensedReading | null {
  if ((reason !== 'expired' && reason !== 'suspended' && reason !== 'inactive') || mayBeUnknown === true)
    return null
  const told = facts === null ? null : licenseOf(facts, known, lease)
  const kept = told ?? known ?? unknownLicense
  return {
    verdict: reason,
    license: { ...kept, expiresAt: kept.expiresAt ?? known?.expiresAt ?? null, status: reason },
    lease,
  }
}

const unknownLicense: LicenseOnRecord = {
  activationLimit: null,
  activationUsage: null,
  expiresAt: null,
  isEndUnknown: false,
  status: '',
  plan: null,
  licensee: null,
  features: [],
}

function licenseOf(facts: LicenseFacts, known: LicenseOnRecord | null, lease: Lease | null): LicenseOnRecord {
  const { seatLimit, seatsInUse, endsAtMs, worksAfterEnd, status } = facts
  // A license that keeps working after its end has none.
  const end =
    typeof endsAtMs === 'number' && !worksAfterEnd ? (facts.endsAt ?? formatTimestamp(endsAtMs)) : null
  return {
    activationLimit: typeof seatLimit === 'number' ? seatLimit : null,
    activationUsage: seatsInUse,
    expiresAt: end,
    isEndUnknown: endsAtMs === null,
    status: facts.rawStatus ?? status ?? 'active',
    plan: lease === null ? (readPlan(facts.plan) ?? known?.plan ?? null) : lease.license.plan,
    licensee: readPlan(facts.licensee) ?? known?.licensee ?? null,
    features:
      lease === null ? (readFeatures(facts.features) ?? known?.features ?? []) : lease.license.features,
  }
}

/** When a license ends, in milliseconds since the epoch; `Infinity` if it has no end. */
export function endOf({ expiresAt }: Pick<LicenseOnRecord, 'expiresAt'>): number {
  return toEndDate(expiresAt ?? '')?.getTime() ?? Number.POSITIVE_INFINITY
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * Returns the verdict of an answer. An active license counts as expired only if the answer's own time is past the end and
 * the computer's clock agrees: it is also past the end, or behind that time by at most a day. A wrong clock, or a proxy
 * with a wrong one, must not lock anyone out.
 */
function verdictOf(
  { status }: LicenseFacts,
  endMs: number,
  { statedMs, isSigned, wallMs }: { statedMs: number | null; isSigned: boolean; wallMs: number },
): LicensedReading['verdict'] {
  if (status === 'suspended' || status === 'expired') return status
  // The license doesn't entitle in either case. The time only decides which status is shown.
  if (status === 'inactive') return (statedMs ?? wallMs) >= endMs ? 'expired' : 'inactive'
  if (statedMs === null || statedMs < endMs) return 'valid'
  const isContradicted = wallMs < endMs && statedMs - wallMs > dayMs
  return isSigned || !isContradicted ? 'expired' : 'valid'
}

/** How old an end is at least if it isn't the time of the answer itself, in milliseconds. */
const oldestUntoldMs = 5 * 60 * 1000

/**
 * Returns this device's activation after a definite answer about it.
 *
 * @param nowMs the high-water mark.
 */
export function withReading(
  activation: ActivationRecord,
  { verdict, license, lease }: LicensedReading,
  nowMs: number,
): ActivationRecord {
  const isValid = verdict === 'valid'
  return {
    ...activation,
    license: verdict === 'expired' ? withProvenEnd(license, activation, nowMs) : license,
    verdict,
    decidedAtMs: nowMs,
    validAtMs: isValid ? nowMs : activation.validAtMs,
    unknown: null,
    lease: storedLease(lease, activation.fingerprint, verdict) ?? (isValid ? activation.lease : null),
  }
}

/**
 * Some services say that a license has ended but not when, and a gateway then sends the time of its answer. Such an end
 * doesn't replace an earlier one that is known, or else the time of the last valid answer.
 */
function withProvenEnd(
  license: LicenseOnRecord,
  known: Pick<ActivationRecord, 'license' | 'validAtMs'>,
  nowMs: number,
): LicenseOnRecord {
  const endMs = endOf(license)
  if (license.status === 'ACTIVE' || !Number.isFinite(endMs) || endMs < nowMs - oldestUntoldMs) return license
  const knownMs = endOf(known.license)
  const isKnown = Number.isFinite(knownMs)
  if ((isKnown ? knownMs : known.validAtMs) >= endMs) return license
  return { ...license, expiresAt: isKnown ? known.license.expiresAt : formatTimestamp(known.validAtMs) }
}

/**
 * The lease to store; `null` if it was issued to another device, or if it neither entitles nor says that the license has
 * ended. A license that has ended may still cover this build.
 */
export function storedLease(lease: Lease | null, fingerprint: string, verdict: Verdict): StoredLease | null {
  if (lease === null || lease.fingerprint !== fingerprint) return null
  const saysSo = verdict === 'expired' ? lease.hasEnded : lease.isEntitled
  if (!saysSo) return null
  const { jws, issuedAtMs, expiresAtMs } = lease
  return { jws, issuedAtMs, expiresAtMs }
}
