import type { Refusal, Unavailable } from '@latchkey/services'
import { CommandError, exitCodes } from '../command-error.ts'
import { whyNotActivated } from '../commands/license.ts'
import { type CheckName, explain, type Operation } from '../explain/failure.ts'
import { readLicenseKey } from '../read-input.ts'
import { connectGateway, connectService, type GlobalOptions } from '../settings.ts'
import { printable, type Terminal } from '../terminal.ts'
import {
  type Examination,
  type Finding,
  findingOf,
  isUnknownAtGateway,
  startExamination,
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

/** A check returns what it found; `null` for nothing to say. */
interface Check {
  readonly check: CheckName
  readonly isFor?: (exam: Examination) => boolean
  readonly run: (exam: Examination) => Promise<Result | null> | Result | null
}

type Result = Omit<Finding, 'check'> | readonly Finding[]

/** All checks, in the order of their requests. The checks after a bad answer to the probe are left out. */
const checks: readonly Check[] = [
  { check: 'base URL', run: examineAddress },
  { check: 'reachable', run: examineProbe },
  { check: 'clock', isFor: hasResponse, run: examineClock },
  { check: 'latency', isFor: hasResponse, run: examineLatency },
  { check: 'schema', run: examineAnswer },
  { check: 'access token', run: examineToken },
  { check: 'license', run: examineLicense },
  { check: 'list keys', isFor: hasLicense, run: examineList },
  { check: 'activate', isFor: (exam) => exam.isGateway || exam.takesSeat, run: tryDevice },
  { check: 'leases', isFor: isGateway, run: examineLeases },
  { check: 'offline page', isFor: isGateway, run: examineOfflinePage },
]

const marks = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

/** `latchkey doctor`: runs the table of checks, and takes no seat unless told to. */
export async function runDoctor(
  global: GlobalOptions,
  terminal: Terminal,
  options: DoctorOptions,
): Promise<number> {
  const { license, gateway, activate = false } = options
  const [needing] = [gateway !== undefined && '--gateway', activate && '--activate'].filter(Boolean)
  if (needing !== undefined && license === undefined) {
    throw new CommandError(`${needing} needs --license: a license to try the requests with.`)
  }
  const context =
    gateway === undefined ? await connectService(global, terminal) : connectGateway(gateway, global, terminal)
  const licenseKey = license === undefined ? null : await readLicenseKey(context.service, license, terminal)
  const exam = await startExamination(context, licenseKey, activate)
  for (const { check, isFor, run } of checks) {
    if (terminal.signal.aborted) break
    if (isFor?.(exam) === false) continue
    const result = await run(exam)
    if (result === null) continue
    exam.findings.push(...('verdict' in result ? [{ check, ...result }] : result))
    if (isOver(exam)) break
  }
  if (terminal.signal.aborted) {
    // Only a seat that may still be taken is worth a word after Ctrl-C.
    for (const { check, verdict, detail } of exam.findings) {
      if (check === 'deactivate' && verdict === 'bad') terminal.tell(`latchkey: ${printable(detail)}\n`)
    }
    throw new CommandError('Interrupted.', exitCodes.interrupted)
  }
  const findings = withoutGoodAddress(exam)
  if (global.json) await terminal.writeJson({ findings })
  for (const { check, verdict, detail } of global.json ? [] : findings) {
    await terminal.write(`${marks[verdict]}  ${check.padEnd(13)} ${printable(detail)}\n`)
  }
  return findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.negative : exitCodes.ok
}

function hasResponse({ responses }: Examination): boolean {
  return responses.length > 0
}

function hasLicense({ licenseKey }: Examination): boolean {
  return licenseKey !== null
}

function isGateway(exam: Examination): boolean {
  return exam.isGateway
}

const fatalChecks: readonly CheckName[] = [
  'base URL',
  'reachable',
  'proxy',
  'service',
  'schema',
  'access token',
  'license',
  'list keys',
]

/** Whether the remaining checks would only repeat that there is no service, or that it has no such license. */
function isOver({ findings, listed }: Examination): boolean {
  const last = findings.at(-1)
  if (last?.verdict !== 'bad' || !fatalChecks.includes(last.check)) return false
  // A list that could be read in part is one.
  return last.check !== 'list keys' || listed?.kind !== 'answer'
}

/** The form of an address is no news if the address is wrong. A note about it stays: it may name the cause. */
function withoutGoodAddress({ findings, isGateway: isOfGateway }: Examination): readonly Finding[] {
  const isWrong = findings.some(({ check, verdict }) => check === 'base URL' && verdict === 'bad')
  if (!isWrong) return findings
  return findings.filter(
    ({ check, verdict }) => check !== 'base URL' || verdict === 'bad' || (verdict === 'note' && !isOfGateway),
  )
}

function examineAddress({ baseUrl, name }: Examination): Result {
  if (name !== 'commerce') return { verdict: 'good', detail: `${baseUrl} (${name})` }
  if (/\/v1\/?$/u.test(new URL(baseUrl).pathname)) return { verdict: 'good', detail: baseUrl }
  return {
    verdict: 'note',
    detail: `${baseUrl} does not end with the version segment v1, which is only right for a gateway with another LATCHKEY_BASE_PATH`,
  }
}

const samples = 3

/** Sends the probe, more than once for the latency. */
async function examineProbe(exam: Examination): Promise<Result | null> {
  exam.probed = await exam.probe()
  for (let sample = 1; sample < samples && exam.probed.kind !== 'unavailable'; sample += 1) await exam.probe()
  const [first] = exam.responses
  // Without an answer, the explanation says why.
  return first === undefined ? null : { verdict: 'good', detail: `answers with status ${first.status}` }
}

const tolerableSkewMs = 60_000

/** Compares this machine's clock with that of the service or of its gateway. Either may be wrong. */
function examineClock({ responses, isGateway: isOfGateway }: Examination): Result | null {
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
    detail: `this machine is ${Math.abs(skewMs) / 1000} s ${which} the ${isOfGateway ? 'gateway' : 'service'}${advice}`,
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
async function examineAnswer(exam: Examination): Promise<Result | null> {
  const { probed, licenseKey, name } = exam
  if (probed.kind === 'answer') return { verdict: 'good', detail: 'as the interface says' }
  if (name !== 'commerce' && probed.kind === 'refusal' && licenseKey === null) {
    return { verdict: 'good', detail: 'refuses an unknown license key as documented' }
  }
  const operation: Operation =
    name !== 'commerce' ? 'show license' : licenseKey === null ? 'customers' : 'list keys'
  const explanation = explain(probed, exam, operation)
  const isAboutList = explanation.check === 'list keys' || explanation.check === 'license'
  // Apps work without the list, and only an activation tells a license without devices from an unknown one.
  if (exam.isGateway && isAboutList && (explanation.isNote || isUnknownAtGateway(probed))) return null
  if (
    exam.isGateway &&
    probed.kind === 'unavailable' &&
    probed.cause === 'not-found' &&
    probed.detail === null
  ) {
    const isThere = await answersLikeGateway(exam)
    const isUuid = /^[\da-f]{8}-/iu.test(licenseKey ?? '')
    // A gateway in front of the commerce service has no route for such a license.
    const form =
      'This license key isn’t a UUID: in front of the commerce service, a gateway answers only about UUIDs'
    if (isThere) {
      const detail = isUuid
        ? 'the gateway answers, but something else answers it in place of the service: check LATCHKEY_UPSTREAM in its settings, which ends with the version segment, such as /v1'
        : form
      if (probed.bodyIsJson !== true)
        return [{ check: isUuid ? 'service' : 'license', verdict: 'bad', detail }]
    } else if (!isUuid) {
      return [{ ...findingOf(explanation, exam), detail: `${explanation.text}. ${form}` }]
    }
  }
  return [findingOf(explanation, exam)]
}

function examineToken({ hasToken, name, licenseKey, service, listed }: Examination): Result | null {
  if (name === 'commerce') {
    if (listed?.kind !== 'answer' && licenseKey !== null) return null
    return { verdict: 'good', detail: hasToken ? 'accepted' : 'none set, and none was asked for' }
  }
  if (licenseKey === null) {
    return { verdict: 'note', detail: 'not checked: pass --license with a license key' }
  }
  // The list needs it.
  return service.vendorSecrets.length > 0 ? null : { verdict: 'good', detail: 'none set' }
}

/** Why no app activates the license, as far as the service shows it. */
function examineLicense({ service, license }: Examination): Result | null {
  const detail = license === null ? null : whyNotActivated(service, license)
  return detail === null ? null : { verdict: 'bad', detail }
}

async function examineList(exam: Examination): Promise<Result | null> {
  const { service, licenseKey, call } = exam
  if (licenseKey === null) return null
  exam.listed ??= await service.listActivations?.({ licenseKey }, call)
  const { listed } = exam
  if (listed === undefined) return { verdict: 'note', detail: 'the service lists no devices' }
  if (listed.kind !== 'answer') {
    const explanation = explain(listed, exam, 'list keys')
    if (isUnknownAtGateway(listed))
      return [{ ...findingOf(explanation, exam), check: 'list keys', verdict: 'note' }]
    return [listCheck(findingOf(explanation, exam), listed)]
  }
  const { activations, isWhole } = listed.value
  const count = activations.length === 1 ? '1 key' : `${activations.length} keys`
  if (!isWhole) return { verdict: 'bad', detail: `${count}, and a part of the list could not be read` }
  const found: Finding = { check: 'list keys', verdict: 'good', detail: count }
  const isByVendor = service.name !== 'commerce' && service.vendorSecrets.length > 0
  return isByVendor ? [{ check: 'access token', verdict: 'good', detail: 'accepted' }, found] : [found]
}

/** A refusal of the list is about the list, unless it is about the vendor's key. */
function listCheck(finding: Finding, failed: Refusal | Unavailable): Finding {
  const isAboutKey = failed.kind === 'unavailable' && failed.cause === 'access-denied'
  return isAboutKey ? finding : { ...finding, check: 'list keys' }
}
