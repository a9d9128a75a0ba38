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
  ]
}

function describeActivation(before: LicenseRecord, after: LicenseRecord): readonly string[] {
  const [left, made] = [before.activation, after.activation]
  if (made === null) return left === null ? [] : [`Deactivated license ${nameOf(left)}`]
  const isNew = left?.activationId !== made.activationId || left.offline?.jws !== made.offline?.jws
  if (!isNew) return []
  if (made.offline !== null) return [`Activated license ${nameOf(made)} without internet`]
  // What was seen in a list existed already, so no request took a seat.
  return made.isListed
    ? [`Adopted this device's activation of license ${nameOf(made)}`]
    : [`Activated license ${nameOf(made)}`]
}

function describeStatus(before: LicensingState, { record, state: after }: Picture): readonly string[] {
  const { activation } = record
  if (activation === null || before.license === null || before.status === after.status) return []
  return [`License ${nameOf(activation)}: ${before.status}, now ${after.status}${untilOf(after)}`]
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
