import type { ActivationList, LicenseFacts, Outcome, ResponseFacts } from '@latchkey/services'
import { readError } from '@latchkey/services/commerce'
import type { CheckName, Explanation } from '../explain/failure.ts'
import { settingAdvice } from '../explain/setting-advice.ts'
import { connectLists, type ListContext, type ServiceContext } from '../settings.ts'

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
  /** Sends the request that all else depends on, and remembers its outcome. */
  probe(): Promise<Outcome<unknown>>
  /** The outcome of the first probe. */
  probed: Outcome<unknown>
  /** The license, if the service shows it without a device. */
  license: LicenseFacts | null
  /** What the license's list of devices has. */
  listed: Outcome<ActivationList> | undefined
  readonly findings: Finding[]
}

/** A license key that no service has sold. */
const unknownKey = '00000000-0000-4000-8000-000000000000'

/** Starts an examination. Nothing is sent yet. */
export async function startExamination(
  context: ServiceContext,
  licenseKey: string | null,
  takesSeat: boolean,
): Promise<Examination> {
  const { service, name, terminal, options } = context
  const responses: Examination['responses'] = []
  let waitsSinceMs = performance.now()
  const call: ServiceContext['call'] = {
    ...context.call,
    onResponse(response) {
      context.call.onResponse?.(response)
      const nowMs = performance.now()
      responses.push({ ...response, atMs: Date.now(), durationMs: nowMs - waitsSinceMs })
      waitsSinceMs = nowMs
    },
  }
  const lists = name === 'commerce' && licenseKey === null ? await connectLists(options, terminal) : null
  const exam: Examination = {
    ...context,
    call,
    licenseKey,
    takesSeat,
    responses,
    probed: { kind: 'answer', value: null, serverDateMs: null, proof: null },
    license: null,
    listed: undefined,
    findings: [],
    async probe() {
      waitsSinceMs = performance.now()
      // A list that a token can read, or what is known about a license.
      if (lists !== null) return probeCustomers({ ...lists, call })
      if (name === 'commerce' && service.listActivations !== undefined) {
        const listed = await service.listActivations({ licenseKey: licenseKey ?? unknownKey }, call)
        exam.listed ??= listed
        return listed
      }
      const shown = await service.showLicense?.({ licenseKey: licenseKey ?? unknownKey }, call)
      if (shown?.kind === 'answer') exam.license = shown.value
      return shown ?? exam.probed
    },
  }
  return exam
}

async function probeCustomers({ commerce, terminal, call }: ListContext): Promise<Outcome<unknown>> {
  try {
    const onAnswer = (answer: ResponseFacts): void => call.onResponse?.(answer)
    const value = await commerce.customers.list({ signal: terminal.signal, onAnswer })
    return { kind: 'answer', value, serverDateMs: null, proof: null }
  } catch (error) {
    return readError(error, false)
  }
}

/** Whether a gateway answers that no service behind it knows the license. */
export function isUnknownAtGateway(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'refusal') return outcome.reason === 'unknown-license'
  return outcome.kind === 'unavailable' && outcome.cause === 'not-found' && outcome.detail === 'not-found'
}

/** Returns what is wrong as a finding. */
export function findingOf(explanation: Explanation, exam: Examination): Finding {
  const { check, text, isNote = false, suspected = null } = explanation
  const advice = settingAdvice(suspected, exam)
  return { check, verdict: isNote ? 'note' : 'bad', detail: advice === '' ? text : `${text}.${advice}` }
}
