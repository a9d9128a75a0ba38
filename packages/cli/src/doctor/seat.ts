import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ActivatedLicense,
  type LicenseFacts,
  type Outcome,
  readVerdict,
  type ServiceCall,
} from '@latchkey/services'
import { nameOf } from '../commands/keys.ts'
import { judge } from '../commands/license.ts'
import { explain, unknownBehindGateway } from '../explain/failure.ts'
import { type Examination, type Finding, findingOf, isUnknownAtGateway } from './examination.ts'

const deviceName = 'Latchkey test'

/**
 * Shows and validates a device of the license. With `--activate`, it takes a seat for that as an app would, and frees it
 * again, even after Ctrl-C. If no seat was taken, another device may say why.
 */
export async function tryDevice(exam: Examination): Promise<readonly Finding[]> {
  const { service, call, licenseKey, listed, takesSeat } = exam
  if (licenseKey === null) return []
  const fingerprint = randomBytes(8).toString('hex')
  const taken = takesSeat ? await service.activate({ licenseKey, deviceName, fingerprint }, call) : null
  if (taken !== null && listed !== undefined && isUnknownAtGateway(listed) && isUnknownAtGateway(taken)) {
    return [{ check: 'license', verdict: 'bad', detail: unknownBehindGateway }]
  }
  const [other] = listed?.kind === 'answer' ? listed.value.activations : []
  const device = taken?.kind === 'answer' ? taken.value.activation : other
  const tried: Finding[] = []
  let license = taken?.kind === 'answer' ? taken.value.license : null
  if (device === undefined) {
    const detail = 'not tried: no key is known to try it with'
    tried.push({ check: 'show key', verdict: 'note', detail }, { check: 'validate', verdict: 'note', detail })
  } else {
    const request = { licenseKey, activationId: device.id, fingerprint: device.fingerprint ?? '' }
    const shown = await service.showActivation?.(request, call)
    if (shown !== undefined) tried.push(findingAbout(exam, 'show key', shown, 'shown'))
    const validated = await service.validate(request, call)
    if (validated.kind === 'answer') license = validated.value.license
    tried.push(
      validated.kind === 'answer'
        ? judgeLicense(validated.value.license, validated.serverDateMs)
        : findingAbout(exam, 'validate', validated, ''),
    )
  }
  if (taken === null) {
    const detail = 'not tried: --activate takes a seat, and frees it again'
    return [{ check: 'activate', verdict: 'note', detail }, ...tried]
  }
  const activated =
    taken.kind === 'answer'
      ? findingAbout(exam, 'activate', taken, `took a seat as ${nameOf(taken.value.activation)}`)
      : judgeRefusal(exam, taken, license)
  return [activated, ...tried, await freeSeat(exam, licenseKey, fingerprint, taken)]
}

function findingAbout(
  exam: Examination,
  check: 'activate' | 'show key' | 'validate',
  outcome: Outcome<unknown>,
  detail: string,
): Finding {
  if (outcome.kind === 'answer') return { check, verdict: 'good', detail }
  return { ...findingOf(explain(outcome, exam, check), exam), check }
}

function judgeLicense(license: LicenseFacts, serverDateMs: number | null): Finding {
  const { decision, why } = judge(license, serverDateMs)
  return decision === 'entitled'
    ? { check: 'validate', verdict: 'good', detail: `the license is ${why}` }
    : { check: 'validate', verdict: 'note', detail: `answered, and an app would refuse the license: ${why}` }
}

const tryAnother = 'use an active license with a free seat to try it'

/** Judges a refused activation. The commerce service gives no reason, so what is known about the license must do. */
function judgeRefusal(
  exam: Examination,
  taken: Outcome<ActivatedLicense>,
  license: LicenseFacts | null,
): Finding {
  const check = 'activate'
  if (isUnknownAtGateway(taken)) {
    const detail =
      'the gateway doesn’t know this license key, although it lists its devices: check the gateway’s rule allow if you set one'
    return { check, verdict: 'bad', detail }
  }
  const finding = findingAbout(exam, check, taken, '')
  const isUnexplained =
    taken.kind === 'unavailable' &&
    taken.cause === 'rejected' &&
    finding.detail.includes('refused the request')
  if (!isUnexplained) {
    return finding.verdict === 'note' ? { ...finding, detail: `${finding.detail}: ${tryAnother}` } : finding
  }
  const { seatLimit = null, seatsInUse = null } = license ?? {}
  const isFull = typeof seatLimit === 'number' && seatsInUse !== null && seatsInUse >= seatLimit
  const isInForce = license !== null && readVerdict(license, taken.serverDateMs ?? Date.now()) === 'valid'
  const refused = `refused with status ${taken.httpStatus}`
  if (isInForce && !isFull && seatLimit !== null && seatsInUse !== null) {
    const log = exam.isGateway ? ': see the gateway’s log' : ''
    const detail = `${refused}, although the license is in force and has free seats${log}`
    return { check, verdict: 'bad', detail }
  }
  const why =
    isInForce && isFull
      ? ', and every seat is taken'
      : ' and without a reason: the license may be full, suspended, expired or not in force'
  return { check, verdict: 'note', detail: `${refused}${why}: ${tryAnother}` }
}

/** How long to look for a seat that a slow service may still take: this often, with a pause of this length in milliseconds. */
const looks = 10
const pauseMs = 2000

/** Frees the seat and looks for it in the list, even after Ctrl-C. Only the wait for a seat that may appear ends then. */
async function freeSeat(
  exam: Examination,
  licenseKey: string,
  fingerprint: string,
  taken: Outcome<ActivatedLicense>,
): Promise<Finding> {
  const { service, terminal } = exam
  const call: ServiceCall = { ...exam.call, signal: undefined }
  const name = `${deviceName} [${fingerprint}]`
  const finding = (verdict: Finding['verdict'], detail: string): Finding => {
    return { check: 'deactivate', verdict, detail }
  }
  /** Returns the id of the seat in the list, `null` if the list lacks it. */
  const find = async (): Promise<string | null | 'unlisted'> => {
    const listed = await service.listActivations?.({ licenseKey }, call)
    // A gateway for several services doesn't know a license without devices.
    if (listed !== undefined && isUnknownAtGateway(listed)) return null
    if (listed?.kind !== 'answer') return 'unlisted'
    return listed.value.activations.find((one) => one.fingerprint === fingerprint)?.id ?? null
  }
  let id: string | null | 'unlisted' = knownSeat(taken)
  if (id === null) {
    if (!mayHaveSeat(taken)) return finding('note', 'not tried: no seat was taken')
    id = await find()
    for (let look = 0; look < looks && id === null && !terminal.signal.aborted; look += 1) {
      await delay(pauseMs, undefined, { signal: terminal.signal }).catch(() => {})
      id = await find()
    }
  }
  if (id === null || id === 'unlisted') {
    const where =
      id === null
        ? 'the list doesn’t show it yet: look for it in a few minutes with latchkey keys list'
        : 'no list shows it: look for it at your service'
    return finding('bad', `the activation may have taken a seat as "${name}", and ${where}`)
  }
  const freed = await service.deactivate({ licenseKey, activationId: id, fingerprint }, call)
  const why = freed.kind === 'answer' ? null : explain(freed, exam, 'deactivate')
  const left = await find()
  if (left === null) {
    return why === null
      ? finding('good', 'freed the seat again')
      : finding('bad', `freed the seat again, but the answer was lost: ${why.text}`)
  }
  if (left === 'unlisted' && why === null) {
    return finding('good', 'freed the seat again, which no list can confirm')
  }
  const problem = why?.text ?? 'it is still in the list of keys'
  // The proxy would answer `latchkey keys release` as well.
  const where =
    why?.check === 'proxy' ? ' directly at the service, or once the proxy lets DELETE through' : ''
  return finding(
    'bad',
    `the seat of "${name}" could not be freed: ${problem}. Free it with latchkey keys release${where}.`,
  )
}

function knownSeat(taken: Outcome<ActivatedLicense>): string | null {
  if (taken.kind === 'answer') return taken.value.activation.id
  return taken.kind === 'refusal' ? taken.leftoverActivationId : null
}

/** Whether an activation without a known seat may still have taken one. */
function mayHaveSeat(taken: Outcome<ActivatedLicense>): boolean {
  if (taken.kind !== 'unavailable' || !taken.mayHaveActed) return false
  const { cause, bodyIsJson, detail } = taken
  if (cause === 'rejected' || cause === 'access-denied' || cause === 'rate-limited') return false
  if (cause === 'not-found') return bodyIsJson !== true
  return detail !== 'upstream-unauthorized' && detail !== 'upstream-misconfigured'
}
