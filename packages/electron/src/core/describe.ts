import { maskLicenseKey } from '../shared/license-key-text.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import { formatTimestamp } from '../shared/timestamp.ts'
import type { DeviceRecord } from './device-record.ts'
import { nameCause } from './problem.ts'
import { isSameOwed, type LicenseRecord, type Owed } from './record.ts'

/** What is remembered, and the resulting state at that moment. */
interface Picture {
  readonly record: LicenseRecord
  readonly state: LicensingState
}

/** Describes what happened to this device's license between two moments, as log lines with masked keys. Pure. */
export function describeChange(before: Picture, after: Picture): readonly string[] {
  return [
    ...describeActivation(before.record, after.record),
    ...describeStatus(before.state, after),
    ...describeSeats(before.record, after.record),
    ...describeLease(before.state, after.state),
  ]
}

function describeActivation(before: LicenseRecord, after: LicenseRecord): readonly string[] {
  const [left, made] = [before.activation, after.activation]
  if (made === null) return left === null ? [] : [`Deactivated license ${nameOf(left)}`]
  if (made.offline !== null && made.offline.jws !== left?.offline?.jws) {
    return [`Activated license ${nameOf(made)} without internet`]
  }
  if (left !== null && left.licenseKey === made.licenseKey && left.activationId === made.activationId)
    return []
  const { wanted } = before
  if (wanted?.licenseKey !== made.licenseKey) {
    return [`Switched to this device's oldest activation of license ${nameOf(made)}`]
  }
  // What was seen in a list existed already, so no request took a seat.
  return made.isListed
    ? [`Adopted this device's activation of license ${nameOf(made)}`]
    : [`Activated license ${nameOf(made)}`]
}

function describeStatus(before: LicensingState, { record, state: after }: Picture): readonly string[] {
  const { activation } = record
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

/** Whether it is the seat of an activation that exists, rather than one that a lost answer may have left. */
const isKnown = ({ activationId }: Owed): boolean => activationId !== null

function describeSeats(before: LicenseRecord, after: LicenseRecord): readonly string[] {
  const isIn = (owed: readonly Owed[], entry: Owed): boolean => owed.some((other) => isSameOwed(other, entry))
  const isInUse = ({ activationId }: Owed): boolean => after.activation?.activationId === activationId
  return [
    ...after.owed
      .filter((entry) => isKnown(entry) && !isIn(before.owed, entry))
      .map((entry) => `A seat of license ${nameOf(entry)} will be freed`),
    ...before.owed
      .filter((entry) => isKnown(entry) && !isInUse(entry) && !isIn(after.owed, entry))
      .map((entry) => `Freed a seat of license ${nameOf(entry)}`),
  ]
}

function describeLease(
  { problem: before }: LicensingState,
  { problem: after }: LicensingState,
): readonly string[] {
  if (after?.code !== 'untrusted-answer' || before?.code === 'untrusted-answer') return []
  return [`Rejected an answer at ${after.occurredAt}: it has no lease that this app trusts`]
}

function nameOf({ licenseKey }: { readonly licenseKey: string }): string {
  return maskLicenseKey(licenseKey)
}

/** Describes what this device remembers as lines of a support report. No line contains a secret. */
export function describeRecord(record: DeviceRecord, wallMs: number): readonly string[] {
  const { current, state } = record
  const { activation, wanted, owed, trial } = current
  const driftMs = wallMs - record.time.nowMs()
  return [
    `status: ${state.status} (entitled: ${state.entitled ? 'yes' : 'no'}${untilOf(state)}), activity: ${state.activity}`,
    `license: ${activation === null ? 'none' : nameOf(activation)}`,
    ...(activation === null
      ? []
      : [
          `last definite answer: ${activation.verdict} at ${formatTimestamp(activation.decidedAtMs)}`,
          `last valid answer: ${formatTimestamp(activation.validAtMs)}`,
          `license facts: status ${activation.license.status}, seats ${activation.license.activationUsage ?? 'unknown'}/${activation.license.activationLimit ?? 'unknown'}, expires ${activation.license.expiresAt ?? (activation.license.isEndUnknown ? 'unknown' : 'never')}`,
        ]),
    `pending activation: ${wanted === null ? 'none' : `${nameOf(wanted)}, ${wanted.askedAtMs === null ? 'not sent' : 'sent'}`}`,
    `seats waiting to be freed: ${owed.filter(isKnown).length}`,
    `trial started: ${trial === null ? 'no' : formatTimestamp(trial.startedAtMs)}`,
    `device: ${state.device === null ? 'not identified yet' : `${state.device.label} [${state.device.fingerprint}]`}`,
    `storage: ${state.storage}`,
    `wall clock against high-water mark: ${Math.round(driftMs / 1000)} s`,
    `problem: ${state.problem?.code ?? 'none'}`,
    'last outcomes:',
    ...record.journal.map(
      ({ atMs, operation, cause }) =>
        `  ${formatTimestamp(atMs)} ${operation}: ${cause === null ? 'ok' : nameCause(cause)}`,
    ),
  ]
}

/** When a trial, grace or an activation without internet ends. */
function untilOf(state: LicensingState): string {
  if (state.status === 'trial') return `, until ${state.trialEndsAt}`
  if (state.status === 'grace') return `, until ${state.graceEndsAt}`
  const { validUntil } = state.license ?? {}
  return validUntil === undefined ? '' : `, until ${validUntil}`
}
