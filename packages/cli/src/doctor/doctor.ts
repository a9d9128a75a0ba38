import type { Outcome, ResponseFacts } from '@latchkey/services'
import { readError } from '@latchkey/services/commerce'
import { CommandError, exitCodes } from '../command-error.ts'
import { whyNotActivated } from '../commands/license.ts'
import { type CheckName, explain, type Operation } from '../explain/failure.ts'
import { readLicenseKey } from '../read-input.ts'
import { connectGateway, connectLists, connectService, type GlobalOptions } from '../settings.ts'
import { printable, type Terminal } from '../terminal.ts'
import { type Examination, type Finding, findingOf, isUnknownAtGateway } from './examination.ts'
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

/** A check returns what it found; `null` for nothing to say. */
interface Check {
  readonly check: CheckName
  readonly isFor?: (exam: Examination) => boolean
  readonly run: (exam: Examination) => Promise<Result> | Result
}

type Result = Omit<Finding, 'check'> | readonly Finding[] | null

/** All checks, in the order of their requests. */
const checks: readonly Check[] = [
  { check: 'base URL', run: examineAddress },
  { check: 'reachable', run: examineProbe },
  { check: 'clock', isFor: hasResponse, run: examineClock },
  { check: 'latency', isFor: hasResponse, run: examineLatency },
  { check: 'schema', run: examineAnswer },
  { check: 'access token', run: examineToken },
  { check: 'license', run: examineLicense },
  { check: 'list keys', isFor: ({ licenseKey }) => licenseKey !== null, run: examineList },
  { check: 'activate', isFor: ({ isGateway, takesSeat }) => isGateway || takesSeat, run: tryDevice },
  { check: 'leases', isFor: ({ isGateway }) => isGateway, run: examineLeases },
  { check: 'offline page', isFor: ({ isGateway }) => isGateway, run: examineOfflinePage },
]

/** After one of these, the remaining checks would only repeat that there is no service, or no such license. */
const fatalChecks: readonly CheckName[] = [
  'base URL',
  'reachable',
  'proxy',
  'service',
  'schema',
  'access token',
  'license',
]

const marks = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

/** `latchkey doctor`: runs the table of checks, and takes no seat unless told to. */
export async function runDoctor(
  global: GlobalOptions,
  terminal: Terminal,
  { license, gateway, activate = false }: DoctorOptions,
): Promise<number> {
  const needing = gateway !== undefined ? '--gateway' : activate ? '--activate' : null
  if (needing !== null && license === undefined) {
    throw new CommandError(`${needing} needs --license: a license to try the requests with.`)
  }
  const context =
    gateway === undefined ? await connectService(global, terminal) : connectGateway(gateway, global, terminal)
  const licenseKey = license === undefined ? null : await readLicenseKey(context.service, license, terminal)
  const exam: Examination = {
    ...context,
    licenseKey,
    takesSeat: activate,
    responses: [],
    probed: { kind: 'answer', value: null, serverDateMs: null, proof: null },
    license: null,
    listed: undefined,
  }
  const found: Finding[] = []
  for (const { check, isFor, run } of checks) {
    if (terminal.signal.aborted) break
    if (isFor?.(exam) === false) continue
    const result = await run(exam)
    if (result === null) continue
    found.push(...('verdict' in result ? [{ check, ...result }] : result))
    const last = found.at(-1)
    const isList = last?.check === 'list keys' && exam.listed?.kind !== 'answer'
    if (last?.verdict === 'bad' && (isList || fatalChecks.includes(last.check))) break
  }
  if (terminal.signal.aborted) {
    // Only a seat that may still be taken is worth a word after Ctrl-C.
    const left = found.find(({ check, verdict }) => check === 'deactivate' && verdict === 'bad')
    if (left !== undefined) terminal.tell(`latchkey: ${printable(left.detail)}\n`)
    throw new CommandError('Interrupted.', exitCodes.interrupted)
  }
  // The form of an address is no news if the address is wrong.
  const isWrong = found.some(({ check, verdict }) => check === 'base URL' && verdict === 'bad')
  const findings = found.filter(({ check, verdict }) => {
    return !isWrong || check !== 'base URL' || verdict === 'bad' || (verdict === 'note' && !exam.isGateway)
  })
  if (global.json) await terminal.writeJson({ findings })
  for (const { check, verdict, detail } of global.json ? [] : findings) {
    await terminal.write(`${marks[verdict]}  ${check.padEnd(13)} ${printable(detail)}\n`)
  }
  return findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.negative : exitCodes.ok
}

function hasResponse({ responses }: Examination): boolean {
  return responses.length > 0
}

function examineAddress({ baseUrl, name }: Examination): Result {
  if (name !== 'commerce') return { verdict: 'good', detail: `${baseUrl} (${name})` }
  if (/\/v1\/?$/u.test(new URL(baseUrl).pathname)) return { verdict: 'good', detail: baseUrl }
  return {
    verdict: 'note',
    detail: `${baseUrl} does not end with the version segment v1, which is only right for a gateway with another LATCHKEY_BASE_PATH`,
  }
}

/** A license key that no service has sold. */
const unknownKey = '00000000-0000-4000-8000-000000000000'
const samples = 3

/** Asks for the list that a token can read, or what is known about a license; more than once for the latency. */
async function examineProbe(exam: Examination): Promise<Result> {
  const { service, name, licenseKey = null, terminal, options } = exam
  let waitsSinceMs = performance.now()
  const onResponse = (response: ResponseFacts): void => {
    exam.call.onResponse?.(response)
    exam.responses.push({ ...response, atMs: Date.now(), durationMs: performance.now() - waitsSinceMs })
    waitsSinceMs = performance.now()
  }
  const call = { ...exam.call, onResponse }
  const lists = name === 'commerce' && licenseKey === null ? await connectLists(options, terminal) : null
  const request = { licenseKey: licenseKey ?? unknownKey }
  for (let sample = 0; sample < samples && exam.probed.kind !== 'unavailable'; sample += 1) {
    waitsSinceMs = performance.now()
    let outcome: Outcome<unknown> | undefined
    if (lists !== null) {
      outcome = await lists.commerce.customers
        .list({ signal: terminal.signal, onAnswer: onResponse })
        .then((value) => ({ kind: 'answer', value, serverDateMs: null, proof: null }) as const)
        .catch((error: unknown) => readError(error, false))
    } else if (name === 'commerce') {
      const listed = await service.listActivations?.(request, call)
      exam.listed ??= listed
      outcome = listed
    } else {
      const shown = await service.showLicense?.(request, call)
      if (shown?.kind === 'answer') exam.license = shown.value
      outcome = shown
    }
    if (sample === 0 && outcome !== undefined) exam.probed = outcome
  }
  const [first] = exam.responses
  // Without an answer, the explanation says why.
  return first === undefined ? null : { verdict: 'good', detail: `answers with status ${first.status}` }
}

const tolerableSkewMs = 60_000

/** Compares this machine's clock with that of the service or of its gateway. Either may be wrong. */
function examineClock({ responses, isGateway }: Examination): Result {
  const [first] = responses
  if (first === undefined) return null
  const { serverDateMs, atMs } = first
  if (serverDateMs === null) return { verdict: 'note', detail: 'the answer has no Date header' }
  // The header has a resolution of one second.
  const skewMs = Math.round((atMs - serverDateMs) / 1000) * 1000
  const isFine = Math.abs(skewMs) <= tolerableSkewMs
  const which = skewMs < 0 ? 'behind' : 'ahead of'
  const advice = isFine ? '' : ': compare both with the right time, and set the clock that is wrong'
  return {
    verdict: isFine ? 'good' : 'bad',
    detail: `this machine is ${Math.abs(skewMs) / 1000} s ${which} the ${isGateway ? 'gateway' : 'service'}${advice}`,
  }
}

function examineLatency({ responses }: Examination): Result {
  const sorted = responses.map(({ durationMs }) => durationMs).sort((one, other) => one - other)
  const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0
  return {
    verdict: medianMs < 2000 ? 'good' : 'note',
    detail: `${Math.round(medianMs)} ms, median of ${sorted.length}`,
  }
}

/** Explains the answer to the probe. */
async function examineAnswer(exam: Examination): Promise<Result> {
  const { probed, licenseKey, name, isGateway } = exam
  if (probed.kind === 'answer') return { verdict: 'good', detail: 'as the interface says' }
  if (name !== 'commerce' && probed.kind === 'refusal' && licenseKey === null) {
    return { verdict: 'good', detail: 'refuses an unknown license key as documented' }
  }
  const operation: Operation =
    name !== 'commerce' ? 'show license' : licenseKey === null ? 'customers' : 'list keys'
  const explanation = explain(probed, exam, operation)
  if (!isGateway) return [findingOf(explanation, exam)]
  const isAboutList = explanation.check === 'list keys' || explanation.check === 'license'
  // Apps work without the list, and only an activation tells a license without devices from an unknown one.
  if (isAboutList && (explanation.isNote === true || isUnknownAtGateway(probed))) return null
  const isPage = probed.kind === 'unavailable' && probed.cause === 'not-found' && probed.bodyIsJson !== true
  if (isPage && (await answersLikeGateway(exam))) {
    // In front of the commerce service, it has no route for a license key that isn't a UUID.
    const detail =
      'the gateway answers, but something else answers it in place of the service: check LATCHKEY_UPSTREAM in its settings, which ends with the version segment, such as /v1. In front of the commerce service, a license key is a UUID'
    return [{ check: 'service', verdict: 'bad', detail }]
  }
  return [findingOf(explanation, exam)]
}

function examineToken({ tokenSetting, name, licenseKey, service, listed }: Examination): Result {
  if (name === 'commerce') {
    if (listed?.kind !== 'answer' && licenseKey !== null) return null
    const detail = tokenSetting === null ? 'none set, and none was asked for' : 'accepted'
    return { verdict: 'good', detail }
  }
  if (licenseKey === null) {
    return { verdict: 'note', detail: 'not checked: pass --license with a license key' }
  }
  // The list needs it.
  return service.vendorSecrets.length > 0 ? null : { verdict: 'good', detail: 'none set' }
}

/** Why no app activates the license, as far as the service shows it. */
function examineLicense({ service, license }: Examination): Result {
  const detail = license === null ? null : whyNotActivated(service, license)
  return detail === null ? null : { verdict: 'bad', detail }
}

async function examineList(exam: Examination): Promise<Result> {
  const { service, call, licenseKey } = exam
  if (licenseKey === null) return null
  exam.listed ??= await service.listActivations?.({ licenseKey }, call)
  const { listed } = exam
  if (listed === undefined) return { verdict: 'note', detail: 'the service lists no devices' }
  if (listed.kind !== 'answer') {
    const finding = findingOf(explain(listed, exam, 'list keys'), exam)
    if (isUnknownAtGateway(listed)) return [{ ...finding, check: 'list keys', verdict: 'note' }]
    // A refusal of the list is about the list, unless it is about the vendor's key.
    const isAboutKey = listed.kind === 'unavailable' && listed.cause === 'access-denied'
    return [isAboutKey ? finding : { ...finding, check: 'list keys' }]
  }
  const { activations, isWhole } = listed.value
  const count = activations.length === 1 ? '1 key' : `${activations.length} keys`
  if (!isWhole) return { verdict: 'bad', detail: `${count}, and a part of the list could not be read` }
  const found: Finding = { check: 'list keys', verdict: 'good', detail: count }
  const isByVendor = service.name !== 'commerce' && service.vendorSecrets.length > 0
  return isByVendor ? [{ check: 'access token', verdict: 'good', detail: 'accepted' }, found] : [found]
}
