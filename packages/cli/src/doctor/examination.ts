import type { ActivationList, LicenseFacts, Outcome } from '@latchkey/services'
import type { CheckName, Explanation } from '../explain/failure.ts'
import { settingAdvice } from '../explain/setting-advice.ts'
import type { Connection, ServiceContext } from '../settings.ts'

/** What a check found: `bad` must be fixed, `note` is for information. */
export interface Result {
  readonly verdict: 'good' | 'note' | 'bad'
  readonly detail: string
}

/** The result of a check, with its name. */
export interface Finding extends Result {
  readonly check: CheckName
}

export const good = (detail: string): Result => ({ verdict: 'good', detail })
export const note = (detail: string): Result => ({ verdict: 'note', detail })
export const bad = (detail: string): Result => ({ verdict: 'bad', detail })

/** What the checks share. */
export interface Examination extends ServiceContext {
  readonly licenseKey: string | null
  readonly takesSeat: boolean
  /** The outcome of the probe, and how long it took. */
  probed: Outcome<unknown>
  durationMs: number
  /** The license, if the service shows it without a device. */
  license: LicenseFacts | null
  /** What the license's list of devices has. */
  listed: Outcome<ActivationList> | undefined
}

/** Returns what is wrong as a finding. */
export function findingOf(explanation: Explanation, connection: Connection): Finding {
  const { check, text, isNote = false, suspected = null } = explanation
  const advice = settingAdvice(suspected, connection)
  return { check, verdict: isNote ? 'note' : 'bad', detail: advice === '' ? text : `${text}.${advice}` }
}

/** Whether a gateway answers that no service behind it knows the license. */
export function isUnknownAtGateway(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'refusal') return outcome.reason === 'unknown-license'
  return outcome.kind === 'unavailable' && outcome.cause === 'not-found' && outcome.detail === 'not-found'
}
