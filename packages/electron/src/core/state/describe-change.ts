import { maskLicenseKey } from '../../shared/license-key-text.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { ActivationRecord, PendingRelease, Vault } from '../record/vault.ts'

/** What is remembered, and the resulting entitlement at that moment. */
export interface Picture {
  readonly vault: Vault
  readonly state: LicensingState
}

/** See `describeChange`. */
export type DescribeChange = (before: Picture, after: Picture) => readonly string[]

/** Describes what happened to this device's license between two moments, as log lines with masked keys. Pure. */
export function describeChange(before: Picture, after: Picture): readonly string[] {
  return [
    ...describeActivation(before.vault, after.vault),
    ...describeStatus(before, after),
    ...describeSeats(before.vault, after.vault),
    ...describeLease(before.state, after.state),
  ]
}

function describeActivation(before: Vault, after: Vault): readonly string[] {
  const [left, made] = [before.activation, after.activation]
  if (made === null) return left === null ? [] : [`Deactivated license ${nameOf(left)}`]
  if (made.offline !== undefined && made.offline.jws !== left?.offline?.jws) {
    return [`Activated license ${nameOf(made)} without internet`]
  }
  if (left !== null && left.licenseId === made.licenseId && left.keyId === made.keyId) return []
  const { pending } = before
  if (pending?.licenseId !== made.licenseId) {
    return [`Switched to this device's oldest activation of license ${nameOf(made)}`]
  }
  // No request was sent that could have taken a seat, so the activation already existed.
  return pending.lateUntilMs === null
    ? [`Adopted this device's activation of license ${nameOf(made)}`]
    : [`Activated license ${nameOf(made)}`]
}

function describeStatus({ state: before }: Picture, { vault, state: after }: Picture): readonly string[] {
  const { activation } = vault
  if (activation === null || before.status === after.status) return []
  const name = nameOf(activation)
  switch (after.status) {
    case 'grace':
      return [
        `Grace began for license ${name}: the service is unreachable, entitled until ${after.graceEndsAt}`,
      ]
    case 'unverified':
      return [`Grace is over for license ${name}: not entitled until the service confirms it`]
    case 'revoked':
      return [`Lost license ${name}: the service no longer has this device's activation`]
    case 'not-covered':
      return [`Lost license ${name}: it ended before this build was released`]
    case 'expired':
    case 'suspended':
    case 'inactive':
      return [`Lost license ${name}: it is ${after.status}`]
    case 'active':
      return before.status === 'unlicensed' || before.status === 'trial'
        ? []
        : [`License ${name} is active again`]
    case 'trial':
    case 'unlicensed':
      return []
  }
}

function describeSeats(before: Vault, after: Vault): readonly string[] {
  const isIn = (outbox: readonly PendingRelease[], { licenseId, keyId }: PendingRelease): boolean =>
    outbox.some((release) => release.licenseId === licenseId && release.keyId === keyId)
  const isKnown = ({ keyId }: PendingRelease): boolean => keyId !== null
  const isInUse = ({ keyId }: PendingRelease): boolean => after.activation?.keyId === keyId
  return [
    ...after.outbox
      .filter((release) => isKnown(release) && !isIn(before.outbox, release))
      .map((release) => `A seat of license ${nameOf(release)} will be freed`),
    ...before.outbox
      .filter((release) => isKnown(release) && !isInUse(release) && !isIn(after.outbox, release))
      .map((release) => `Freed a seat of license ${nameOf(release)}`),
  ]
}

function describeLease(
  { problem: before }: LicensingState,
  { problem: after }: LicensingState,
): readonly string[] {
  if (after?.code !== 'untrusted-answer' || before?.code === 'untrusted-answer') return []
  return [`Rejected an answer at ${after.occurredAt}: it has no lease that this app trusts`]
}

function nameOf({ licenseId }: Pick<ActivationRecord, 'licenseId'>): string {
  return maskLicenseKey(licenseId)
}
