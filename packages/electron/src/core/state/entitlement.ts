import { endOf } from '../record/proven-end.ts'
import { isOfOtherService } from '../record/seats/service-of-record.ts'
import { isTrusted } from '../record/stored-lease.ts'
import type { ActivationRecord, Vault } from '../record/vault.ts'
import { coversBuild } from './coverage.ts'
import { endPhaseOf } from './license-end.ts'

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

/** The inputs of the entitlement besides the vault. */
export interface EntitlementRules {
  readonly graceMs: number
  readonly renewalGraceMs: number
  /** How long before a license's end `endsSoon` becomes true. @default 0 */
  readonly renewalNoticeMs?: number | undefined
  readonly recheckMs: number
  readonly trialMs: number
  /**
   * When this build was released, if a license goes on entitling the builds that it covers after its end, in milliseconds
   * since the epoch. @default a license that has ended entitles nothing
   */
  readonly releasedAtMs?: number | undefined
  /** Whether every entitlement requires a lease. @default false */
  readonly requiresLease?: boolean | undefined
  /** Whether that includes an activation of another service, so that an edited record can't name one. @default false */
  readonly requiresOwnLease?: boolean | undefined
}

/**
 * Returns the current entitlement from what this device remembers. Pure; `nowMs` is the high-water mark.
 *
 * @param isUnreachable whether the last attempt to reach the service got no definite answer.
 */
export function entitlementOf(
  vault: Vault,
  nowMs: number,
  isUnreachable: boolean,
  rules: EntitlementRules,
): Entitlement {
  const { activation } = vault
  if (activation === null) return withoutActivation(vault.trialStartedAtMs, nowMs, rules.trialMs)

  switch (activation.verdict) {
    case 'valid':
      return whileValid(activation, nowMs, isUnreachable, rules)
    case 'inactive':
      return { status: 'inactive', rawStatus: activation.license.status, changesAtMs: null }
    case 'expired':
      // The answer that it has ended confirms what it still covers.
      return coversBuild(activation, rules.releasedAtMs)
        ? whileValid({ ...activation, validAtMs: activation.decidedAtMs }, nowMs, isUnreachable, rules)
        : { status: endedStatus(rules), changesAtMs: null }
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
  isUnreachable: boolean,
  rules: EntitlementRules,
): Entitlement {
  const { validAtMs } = activation
  const licenseEndMs = endOf(activation.license)
  const endMs = coversBuild(activation, rules.releasedAtMs) ? Number.POSITIVE_INFINITY : licenseEndMs
  const renewalMs = Math.min(rules.renewalGraceMs, rules.graceMs)
  const phase = endPhaseOf({ endMs, validAtMs, nowMs, renewalMs })
  const isAnswered = !isUnreachable && !isOfOtherService(activation)
  const heldMs = isAnswered ? Math.max(rules.graceMs, untilNextCheckMs(rules)) : rules.graceMs
  const heldUntilMs = Math.min(validAtMs + heldMs, leaseEndOf(activation, rules))
  const graceEndsAtMs = phase === 'in-doubt' ? heldUntilMs : Math.min(heldUntilMs, endMs + renewalMs)
  const noticeMs = licenseEndMs - (rules.renewalNoticeMs ?? 0)
  const endsSoon = nowMs >= noticeMs && nowMs < licenseEndMs
  const upcomingMs = [noticeMs, licenseEndMs].filter((atMs) => atMs > nowMs)
  const validUntilMs = offlineEndOf(activation, endMs, rules)
  if (nowMs < validUntilMs && graceEndsAtMs < validUntilMs) {
    const changesAtMs = Math.min(validUntilMs, ...upcomingMs)
    return {
      status: 'active',
      graceEndsAtMs: validUntilMs,
      isEndInDoubt: false,
      endsSoon,
      validUntilMs,
      changesAtMs,
    }
  }
  if (nowMs >= graceEndsAtMs) {
    return {
      status: phase === 'ahead' || phase === 'in-doubt' ? 'unverified' : endedStatus(rules),
      changesAtMs: null,
    }
  }
  return {
    status: isUnreachable || isOfOtherService(activation) || phase === 'renewal' ? 'grace' : 'active',
    graceEndsAtMs,
    isEndInDoubt: phase === 'in-doubt',
    endsSoon,
    changesAtMs: Math.min(graceEndsAtMs, ...upcomingMs),
  }
}

/**
 * An answer holds at least until the next check is due. Grace, even a short one, begins when the service is
 * unreachable.
 */
function untilNextCheckMs({ recheckMs }: EntitlementRules): number {
  return recheckMs * 1.5
}

/** If leases are required, entitlement ends with the lease, and there is none without one. */
function leaseEndOf(
  activation: ActivationRecord,
  { requiresLease = false, requiresOwnLease = false }: EntitlementRules,
): number {
  const { lease, isUnconfirmed } = activation
  // Another service's activation was signed otherwise, or not at all. Its grace ends soon.
  const isSignedElsewhere = isOfOtherService(activation) || (isUnconfirmed && !isTrusted(lease))
  return requiresLease && (requiresOwnLease || !isSignedElsewhere)
    ? (lease?.expiresAtMs ?? Number.NEGATIVE_INFINITY)
    : Number.POSITIVE_INFINITY
}

/**
 * When a signed answer stops entitling. The service may have shortened the license since. Without the keys of the
 * gateway nothing proves that the answer is genuine.
 */
function offlineEndOf(
  { offline }: ActivationRecord,
  endMs: number,
  { requiresLease = false }: EntitlementRules,
): number {
  return requiresLease && offline !== undefined
    ? Math.min(offline.expiresAtMs, endMs)
    : Number.NEGATIVE_INFINITY
}

function withoutActivation(trialStartedAtMs: number | null, nowMs: number, trialMs: number): Entitlement {
  if (trialMs <= 0 || trialStartedAtMs === null) {
    return { status: 'unlicensed', trialEndedAtMs: null, changesAtMs: null }
  }
  const endsAtMs = trialStartedAtMs + trialMs
  return nowMs < endsAtMs
    ? { status: 'trial', changesAtMs: endsAtMs }
    : { status: 'unlicensed', trialEndedAtMs: endsAtMs, changesAtMs: null }
}
