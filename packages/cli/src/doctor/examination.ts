import type { ActivationList, LicenseFacts, Outcome, ResponseFacts } from '@latchkey/services'
import type { CheckName, Explanation } from '../explain/failure.ts'
import { settingAdvice } from '../explain/setting-advice.ts'
import type { ServiceContext } from '../settings.ts'

/** The result of a check: `bad` must be fixed, `note` is for information. */
export interface Finding {
  readonly check: CheckName
  readonly verdict: 'good' | 'note' | 'bad'
  readonly detail: string
}

/** What the checks share. */
export interface Examination extends ServiceContext {
  readonly licenseKey: string | null
  readonly takesSeat: boolean
  readonly responses: (ResponseFacts & { readonly atMs: number; readonly durationMs: number })[]
  /** The outcome of the first probe. */
  probed: Outcome<unknown>
  /** The license, if the service shows it without a device. */
  license: LicenseFacts | null
  /** What the license's list of devices has. */
  listed: Outcome<ActivationList> | undefined
}

/** Returns what is wrong as a finding. */
export function findingOf(explanation: Explanation, exam: Examination): Finding {
  const { check, text, isNote = false, suspected = null } = explanation
  const advice = settingAdvice(suspected, exam)
  return { check, verdict: isNote ? 'note' : 'bad', detail: advice === '' ? text : `${text}.${advice}` }
}

/** Whether a gateway answers that no service behind it knows the license. */
export function isUnknownAtGateway(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'refusal') return outcome.reason === 'unknown-license'
  return outcome.kind === 'unavailable' && outcome.cause === 'not-found' && outcome.detail === 'not-found'
}
