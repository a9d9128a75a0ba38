import type { Outcome } from '@latchkey/services'
import { readError } from '@latchkey/services/commerce'
import { CommandError, exitCodes } from '../command-error.ts'
import { whyNotActivated } from '../commands/license.ts'
import { type CheckName, explain, type Operation } from '../explain/failure.ts'
import { readLicenseKey } from '../read-input.ts'
import { type CommandContext, connectGateway, connectService, show } from '../settings.ts'
import {
  bad,
  type Examination,
  type Finding,
  findingOf,
  good,
  isUnknownAtGateway,
  note,
  type Result,
} from './examination.ts'
import { answersLikeGateway, examineLeases, examineOfflinePage } from './gateway.ts'
import { tryDevice } from './seat.ts'

/** Options of `doctor`. */
export interface DoctorOptions {
  readonly license?: string
  /** Address of a gateway. */
  readonly gateway?: string
  /** Whether to take a seat and free it again. */
  readonly activate?: boolean
}

/** What a check says, `null` for nothing, or findings of other checks, too. */
type Examined = Result | readonly Finding[] | null

/** All checks, in the order of their requests. */
const checks: readonly (readonly [CheckName, (exam: Examination) => Promise<Examined> | Examined])[] = [
  ['base URL', examineAddress],
  ['reachable', examineProbe],
  ['clock', examineClock],
  ['latency', examineLatency],
  ['schema', examineAnswer],
  ['access token', examineToken],
  ['license', examineLicense],
  ['list devices', examineList],
  ['activate', tryDevice],
  ['leases', examineLeases],
  ['offline page', examineOfflinePage],
]

/** These would say the same whatever is wrong before them. */
const lastChecks: readonly CheckName[] = ['activate', 'show device', 'validate', 'deactivate', 'leases']

const marks = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

/** `latchkey doctor`: runs the table of checks, and takes no seat unless told to. */
export async function runDoctor(
  given: CommandContext,
  { license, gateway, activate = false }: DoctorOptions,
): Promise<number> {
  const { terminal } = given
  const needing = gateway !== undefined ? '--gateway' : activate ? '--activate' : null
  if (needing !== null && license === undefined) {
    throw new CommandError(`${needing} needs --license: a license to try the requests with.`)
  }
  const context = gateway === undefined ? await connectService(given) : connectGateway(gateway, given)
  const licenseKey = license === undefined ? null : await readLicenseKey(context.service, license, terminal)
  const exam: Examination = {
    ...context,
    licenseKey,
    takesSeat: activate,
    probed: { kind: 'answer', value: null, serverDateMs: null, proof: null },
    durationMs: 0,
    license: null,
    listed: undefined,
  }
  const findings: Finding[] = []
  for (const [check, examine] of checks) {
    if (terminal.signal.aborted) break
    const result = await examine(exam)
    if (result === null) continue
    findings.push(...('verdict' in result ? [{ check, ...result }] : result))
    const { verdict, check: last } = findings.at(-1) ?? { check, verdict: 'good' }
    // The form of an address is no news if the address is wrong.
    const isWrong = last === 'base URL' && verdict === 'bad'
    if (isWrong && (findings[0]?.verdict === 'good' || exam.isGateway)) findings.shift()
    // The remaining checks would only repeat that there is no service, or no such license.
    if (verdict === 'bad' && last !== 'clock' && !lastChecks.includes(last)) break
  }
  if (terminal.signal.aborted) {
    // Only a seat that may still be taken is worth a word after Ctrl-C.
    const left = findings.find(({ check, verdict }) => check === 'deactivate' && verdict === 'bad')
    if (left !== undefined) terminal.tell(`latchkey: ${left.detail}`)
    throw new CommandError('Interrupted.', exitCodes.interrupted)
  }
  const lines = findings.map(
    ({ check, verdict, detail }) => `${marks[verdict]}  ${check.padEnd(13)} ${detail}`,
  )
  await show(context, { findings }, ...lines)
  return findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.negative : exitCodes.ok
}

function examineAddress({ baseUrl, name }: Examination): Result {
  if (name !== 'commerce') return good(`${baseUrl} (${name})`)
  if (/\/v1\/?$/u.test(new URL(baseUrl).pathname)) return good(baseUrl)
  return note(
    `${baseUrl} does not end with the version segment v1, which is only right for a gateway with another LATCHKEY_BASE_PATH`,
  )
}

/** A license key that no service has sold. */
const unknownKey = '00000000-0000-4000-8000-000000000000'

/** Asks for the list that a token can read, or what is known about a license. */
async function examineProbe(exam: Examination): Promise<Result | null> {
  const startedAtMs = performance.now()
  exam.probed = (await probe(exam)) ?? exam.probed
  exam.durationMs = performance.now() - startedAtMs
  const response = exam.lastResponse()
  // Without an answer, the explanation says why.
  return response === null ? null : good(`answers with status ${response.status}`)
}

async function probe(exam: Examination): Promise<Outcome<unknown> | undefined> {
  const { service, lists, name, licenseKey, call } = exam
  if (lists !== null && licenseKey === null) {
    return lists.customers
      .list({ signal: call.signal, onAnswer: call.onResponse })
      .then((value) => ({ kind: 'answer', value, serverDateMs: null, proof: null }) as const)
      .catch((error: unknown) => readError(error, false))
  }
  const request = { licenseKey: licenseKey ?? unknownKey }
  if (name === 'commerce') {
    exam.listed = await service.listActivations(request, call)
    return exam.listed
  }
  const shown = await service.showLicense?.(request, call)
  if (shown?.kind === 'answer') exam.license = shown.value
  return shown
}

const tolerableSkewMs = 60_000

/** Compares this machine's clock with that of the service or of its gateway. Either may be wrong. */
function examineClock({ isGateway, lastResponse }: Examination): Result | null {
  const response = lastResponse()
  if (response === null) return null
  if (response.serverDateMs === null) return note('the answer has no Date header')
  // The header has a resolution of one second.
  const skewSeconds = Math.round((Date.now() - response.serverDateMs) / 1000)
  const which = skewSeconds < 0 ? 'behind' : 'ahead of'
  const text = `this machine is ${Math.abs(skewSeconds)} s ${which} the ${isGateway ? 'gateway' : 'service'}`
  if (Math.abs(skewSeconds) * 1000 <= tolerableSkewMs) return good(text)
  return bad(`${text}: compare both with the right time, and set the clock that is wrong`)
}

function examineLatency({ durationMs, lastResponse }: Examination): Result | null {
  if (lastResponse() === null) return null
  return { verdict: durationMs < 2000 ? 'good' : 'note', detail: `${Math.round(durationMs)} ms` }
}

/** Explains the answer to the probe. */
async function examineAnswer(exam: Examination): Promise<Examined> {
  const { probed, licenseKey, name, isGateway } = exam
  if (probed.kind === 'answer') return good('as the interface says')
  if (name !== 'commerce' && probed.kind === 'refusal' && licenseKey === null) {
    return good('refuses an unknown license key as documented')
  }
  const operation: Operation =
    name !== 'commerce' ? 'show license' : licenseKey === null ? 'customers' : 'list devices'
  const explanation = explain(probed, exam, operation)
  const finding = findingOf(explanation, exam)
  if (!isGateway) return [finding]
  const isAboutList = explanation.check === 'list devices' || explanation.check === 'license'
  // Apps work without the list, and only an activation tells a license without devices from an unknown one.
  if (isAboutList && (explanation.isNote === true || isUnknownAtGateway(probed))) return null
  const isPage = probed.kind === 'unavailable' && probed.cause === 'not-found' && probed.bodyIsJson !== true
  if (!isPage || !(await answersLikeGateway(exam))) return [finding]
  // In front of the commerce service, it has no route for a license key that isn't a UUID.
  const detail =
    'the gateway answers, but something else answers it in place of the service: check LATCHKEY_UPSTREAM in its settings, which ends with the version segment, such as /v1. In front of the commerce service, a license key is a UUID'
  return [{ check: 'service', ...bad(detail) }]
}

function examineToken({ tokenSetting, name, licenseKey, service, listed }: Examination): Result | null {
  if (name === 'commerce') {
    if (listed?.kind !== 'answer' && licenseKey !== null) return null
    return good(tokenSetting === null ? 'none set, and none was asked for' : 'accepted')
  }
  if (licenseKey === null) return note('not checked: pass --license with a license key')
  // The list needs it.
  return service.vendorSecrets.length > 0 ? null : good('none set')
}

/** Why no app activates the license, as far as the service shows it. */
function examineLicense({ service, license }: Examination): Result | null {
  const why = license === null ? null : whyNotActivated(service, license)
  return why === null ? null : bad(why)
}

async function examineList(exam: Examination): Promise<Examined> {
  const { service, call, licenseKey } = exam
  if (licenseKey === null) return null
  exam.listed ??= await service.listActivations({ licenseKey }, call)
  const { listed } = exam
  if (listed.kind !== 'answer') {
    const { check, ...result } = findingOf(explain(listed, exam, 'list devices'), exam)
    if (isUnknownAtGateway(listed)) return note(result.detail)
    // A refusal of the list is about the list, unless it is about the vendor's key.
    const isAboutKey = listed.kind === 'unavailable' && listed.cause === 'access-denied'
    return isAboutKey ? [{ check, ...result }] : result
  }
  const { activations, isWhole } = listed.value
  const count = activations.length === 1 ? '1 device' : `${activations.length} devices`
  if (!isWhole) return bad(`${count}, and a part of the list could not be read`)
  const isByVendor = service.name !== 'commerce' && service.vendorSecrets.length > 0
  if (!isByVendor) return good(count)
  return [
    { check: 'access token', ...good('accepted') },
    { check: 'list devices', ...good(count) },
  ]
}
