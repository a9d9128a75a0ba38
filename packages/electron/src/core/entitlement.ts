import { endOf } from './answers.ts'
import type { ActivationRecord, LicenseRecord } from './record.ts'

/** Whether the app is entitled, and until when. Times are milliseconds on the high-water mark. */
export type Entitlement =
  | { readonly status: 'unlicensed'; readonly trialEndedAtMs: number | null; readonly changesAtMs: null }
  | { readonly status: 'trial'; readonly changesAtMs: number }
  | {
      readonly status: 'active' | 'grace'
      readonly graceEndsAtMs: number
      /** Whether the service confirmed the license after its stated end, by the available clocks. */
      readonly isEndInDoubt: boolean
      /** Whether the license ends so soon that the user should know. */
      readonly endsSoon: boolean
      /** Until when a signed answer entitles without internet; absent unless that is what counts. */
      readonly validUntilMs?: number | undefined
      readonly changesAtMs: number
    }
  | {
      readonly status: 'unverified' | 'expired' | 'not-covered' | 'suspended' | 'revoked'
      readonly changesAtMs: null
    }
  | { readonly status: 'inactive'; readonly rawStatus: string; readonly changesAtMs: null }

/** Rules that a developer can set. */
export interface EntitlementRules {
  /** How long an unreachable service keeps a validated device entitled, in milliseconds. */
  readonly graceMs: number
  /**
   * How long a license stays valid past its end while a renewal can't be checked, in milliseconds; at most `graceMs`.
   * For as long, a license that the service reports as expired is checked more often.
   */
  readonly renewalGraceMs: number
  /** How long before the end of a license `endsSoon` becomes true, in milliseconds. @default 0 */
  readonly renewalNoticeMs?: number | undefined
  /** How often a running app checks on its own, in milliseconds. */
  readonly recheckMs: number
  /** How long a trial lasts, in milliseconds; 0 for none. */
  readonly trialMs: number
  /**
   * When this build was released, in milliseconds since the epoch, if a license that has ended still entitles the builds
   * that it covers. @default a license that has ended entitles nothing
   */
  readonly releasedAtMs?: number | undefined
}

/** What counts besides the record and the rules. */
export interface EntitlementFacts {
  /** Name of the service in use. */
  readonly service: string
  /** Whether the last attempt to reach the service got no definite answer. */
  readonly isUnreachable: boolean
  /** Whether every entitlement requires a signed statement. */
  readonly requiresLease: boolean
  /** Whether the license key itself says everything, so that no service has to confirm it. */
  readonly answersOffline?: boolean | undefined
  /** Whether the record was sealed by the keychain, so that nobody could have edited it. */
  readonly isSealed: boolean
}

/** Returns the current entitlement from what this device remembers. Pure; `nowMs` is the high-water mark. */
export function entitlementOf(
  { activation, trial }: Pick<LicenseRecord, 'activation' | 'trial'>,
  nowMs: number,
  rules: EntitlementRules,
  facts: EntitlementFacts,
): Entitlement {
  if (activation === null) return withoutActivation(trial?.startedAtMs ?? null, nowMs, rules.trialMs)
  switch (activation.verdict) {
    case 'valid':
      return whileValid(activation, nowMs, rules, facts)
    case 'inactive':
      return { status: 'inactive', rawStatus: activation.license.status, changesAtMs: null }
    case 'expired':
      // The answer that it has ended confirms what it still covers.
      return coversBuild(activation, rules.releasedAtMs)
        ? whileValid({ ...activation, validAtMs: activation.decidedAtMs }, nowMs, rules, facts)
        : { status: endedStatus(rules), changesAtMs: null }
    case 'copied':
      return { status: 'revoked', changesAtMs: null }
    case 'suspended':
    case 'revoked':
      return { status: activation.verdict, changesAtMs: null }
  }
}

/** The status of a license that has ended and doesn't entitle this build. */
function endedStatus({ releasedAtMs }: EntitlementRules): 'expired' | 'not-covered' {
  return releasedAtMs === undefined ? 'expired' : 'not-covered'
}

/** The last answer was valid, which holds until grace, lease or license ends. */
function whileValid(
  activation: ActivationRecord,
  nowMs: number,
  rules: EntitlementRules,
  facts: EntitlementFacts,
): Entitlement {
  const { validAtMs } = activation
  const isOther = activation.service !== facts.service
  const licenseEndMs = endOf(activation.license)
  const endMs = coversBuild(activation, rules.releasedAtMs) ? Number.POSITIVE_INFINITY : licenseEndMs
  // Such a license ends at its end: only time has to pass, and a renewal is another license key.
  const isKept = facts.answersOffline === true && !isOther
  const renewalMs = isKept ? 0 : Math.min(rules.renewalGraceMs, rules.graceMs)
  const phase = endPhaseOf(endMs, isKept ? Number.NEGATIVE_INFINITY : validAtMs, nowMs, renewalMs)
  // An answer holds at least until the next check is due. Grace begins when the service is unreachable.
  const isAnswered = !facts.isUnreachable && !isOther
  const answeredMs = isAnswered ? Math.max(rules.graceMs, rules.recheckMs * 1.5) : rules.graceMs
  const heldMs = isKept ? Number.POSITIVE_INFINITY : answeredMs
  const heldUntilMs = Math.min(validAtMs + heldMs, leaseEndOf(activation, isOther, facts))
  const graceEndsAtMs = phase === 'in-doubt' ? heldUntilMs : Math.min(heldUntilMs, endMs + renewalMs)
  const noticeMs = licenseEndMs - (rules.renewalNoticeMs ?? 0)
  const endsSoon = nowMs >= noticeMs && nowMs < licenseEndMs
  const upcomingMs = [noticeMs, licenseEndMs].filter((atMs) => atMs > nowMs)
  // The service may have shortened the license since the answer without internet was signed.
  const isSignedOffline = facts.requiresLease && activation.offline !== null
  const validUntilMs = isSignedOffline
    ? Math.min(activation.offline.expiresAtMs, endMs)
    : Number.NEGATIVE_INFINITY
  if (nowMs < validUntilMs && graceEndsAtMs < validUntilMs) {
    const changesAtMs = Math.min(validUntilMs, ...upcomingMs)
    const until = { graceEndsAtMs: validUntilMs, validUntilMs, changesAtMs }
    return { status: 'active', isEndInDoubt: false, endsSoon, ...until }
  }
  if (nowMs >= graceEndsAtMs) {
    const isUnverified = phase === 'ahead' || phase === 'in-doubt'
    return { status: isUnverified ? 'unverified' : endedStatus(rules), changesAtMs: null }
  }
  return {
    status: (facts.isUnreachable && !isKept) || isOther || phase === 'renewal' ? 'grace' : 'active',
    graceEndsAtMs,
    isEndInDoubt: phase === 'in-doubt',
    endsSoon,
    changesAtMs: Math.min(graceEndsAtMs, ...upcomingMs),
  }
}

/**
 * The phase of a license that was valid at the last answer.
 *
 * - `ahead`: it has not ended.
 * - `in-doubt`: the valid answer came after the end, by the same clock. Clock and service disagree, and the service
 * wins.
 * - `renewal`: it has ended since, and may have been renewed without this device knowing.
 * - `over`: it has ended, and the time for a renewal is over too.
 */
function endPhaseOf(
  endMs: number,
  validAtMs: number,
  nowMs: number,
  renewalMs: number,
): 'ahead' | 'in-doubt' | 'renewal' | 'over' {
  if (nowMs < endMs) return 'ahead'
  if (validAtMs >= endMs) return 'in-doubt'
  return nowMs < endMs + renewalMs ? 'renewal' : 'over'
}

/** If statements are signed, entitlement ends with the lease, and there is none without one. */
function leaseEndOf(
  { lease }: ActivationRecord,
  isOther: boolean,
  { requiresLease, isSealed }: EntitlementFacts,
): number {
  // Another service signed otherwise, or not at all. Its grace ends soon, and nobody can have invented a sealed record.
  if (!requiresLease || (isOther && isSealed)) return Number.POSITIVE_INFINITY
  return lease?.expiresAtMs ?? Number.NEGATIVE_INFINITY
}

function withoutActivation(startedAtMs: number | null, nowMs: number, trialMs: number): Entitlement {
  if (trialMs <= 0 || startedAtMs === null) {
    return { status: 'unlicensed', trialEndedAtMs: null, changesAtMs: null }
  }
  const endsAtMs = startedAtMs + trialMs
  return nowMs < endsAtMs
    ? { status: 'trial', changesAtMs: endsAtMs }
    : { status: 'unlicensed', trialEndedAtMs: endsAtMs, changesAtMs: null }
}

/** What coverage depends on. */
export type CoverageFacts = Pick<ActivationRecord, 'license' | 'verdict' | 'validAtMs' | 'decidedAtMs'>

/** Until when a license covers new builds, in milliseconds since the epoch; `Infinity` if it has no end. */
export function coveredUntilMs({ license, verdict, validAtMs, decidedAtMs }: CoverageFacts): number {
  const endMs = endOf(license)
  if (verdict !== 'expired' || Number.isFinite(endMs)) return endMs
  // The service says that the license has ended, but not when: it hadn't when it was last valid here.
  return validAtMs < decidedAtMs ? validAtMs : Number.NEGATIVE_INFINITY
}

/**
 * Whether a license covers a build, including one released at the very end. The computer's clock plays no part in it.
 *
 * @param releasedAtMs `undefined` if licenses don't cover builds by their release date.
 */
export function coversBuild(facts: CoverageFacts, releasedAtMs: number | undefined): boolean {
  return releasedAtMs !== undefined && releasedAtMs <= coveredUntilMs(facts)
}
