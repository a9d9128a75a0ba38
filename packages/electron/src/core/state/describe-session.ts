import { maskLicenseKey } from '../../shared/license-key-text.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import { formatTimestamp } from '../../shared/timestamp.ts'
import type { LicensingSession } from '../licensing-session.ts'
import { nameCause } from '../problem.ts'
import { isQuietSearch } from '../record/orphan-search.ts'

/** Describes the session as lines of a support report. No line contains a secret. */
export function describeSession(session: LicensingSession): readonly string[] {
  const { activation, pending, outbox, trialStartedAtMs } = session.vault()
  const { ports } = session
  const state = session.published.current
  const driftMs = ports.clock.now() - session.time.nowMs()
  return [
    `status: ${state.status} (entitled: ${state.entitled ? 'yes' : 'no'}${untilOf(state)}), activity: ${state.activity}`,
    `license: ${activation === null ? 'none' : maskLicenseKey(activation.licenseId)}`,
    ...(activation === null
      ? []
      : [
          `last definite answer: ${activation.verdict} at ${formatTimestamp(activation.decidedAtMs)}`,
          `last valid answer: ${formatTimestamp(activation.validAtMs)}`,
          `license facts: status ${activation.license.status}, seats ${activation.license.activationUsage ?? 'unknown'}/${activation.license.activationLimit ?? 'unknown'}, expires ${activation.license.expiresAt ?? (activation.license.isEndUnknown ? 'unknown' : 'never')}, suspended ${activation.license.suspendedAt ?? 'no'}`,
        ]),
    `pending activation: ${pending === null ? 'none' : `${maskLicenseKey(pending.licenseId)}, ${pending.lateUntilMs === null ? 'not sent' : 'sent'}`}`,
    `seats waiting to be freed: ${outbox.filter((release) => !isQuietSearch(release)).length}`,
    `trial started: ${trialStartedAtMs === null ? 'no' : formatTimestamp(trialStartedAtMs)}`,
    `device: ${state.device === null ? 'not identified yet' : `${state.device.label} [${state.device.fingerprint}]`}`,
    `storage: ${state.storage}`,
    `wall clock against high-water mark: ${Math.round(driftMs / 1000)} s`,
    `problem: ${state.problem?.code ?? 'none'}`,
    'last outcomes:',
    ...session.journal.entries().map(({ atMs, operation, cause }) => {
      const outcome = cause === null ? 'ok' : nameCause(cause)
      return `  ${formatTimestamp(atMs)} ${operation}: ${outcome}`
    }),
  ]
}

/** When a trial, grace or an activation without internet ends. */
function untilOf(state: LicensingState): string {
  if (state.status === 'trial') return `, until ${state.trialEndsAt}`
  if (state.status === 'grace') return `, until ${state.graceEndsAt}`
  const { validUntil } = state.license ?? {}
  return validUntil === undefined ? '' : `, until ${validUntil}`
}
