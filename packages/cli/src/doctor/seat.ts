import { randomBytes } from 'node:crypto'
import {
  type ActivatedLicense,
  type LicenseFacts,
  type Outcome,
  readVerdict,
  type ServiceCall,
} from '@latchkey/services'
import { nameOf } from '../commands/devices.ts'
import { judge } from '../commands/license.ts'
import { explain, unknownBehindGateway } from '../explain/failure.ts'
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

const deviceName = 'Latchkey test'

/**
 * Shows and validates a device of the license. With `--activate`, it takes a seat for that as an app would, and frees it
 * again, even after Ctrl-C. If no seat was taken, another device may say why.
 */
export async function tryDevice(exam: Examination): Promise<readonly Finding[]> {
  const { service, call, licenseKey, listed, takesSeat, isGateway } = exam
  if (licenseKey === null || !(isGateway || takesSeat)) return []
  const fingerprint = randomBytes(8).toString('hex')
  const taken = takesSeat ? await service.activate({ licenseKey, deviceName, fingerprint }, call) : null
  if (taken !== null && listed !== undefined && isUnknownAtGateway(listed) && isUnknownAtGateway(taken)) {
    return [{ check: 'license', ...bad(unknownBehindGateway) }]
  }
  const [other] = listed?.kind === 'answer' ? listed.value.activations : []
  const device = taken?.kind === 'answer' ? taken.value.activation : other
  const tried: Finding[] = []
  let license = taken?.kind === 'answer' ? taken.value.license : null
  if (device === undefined) {
    const untried = note('not tried: no device is known to try it with')
    tried.push({ check: 'show device', ...untried }, { check: 'validate', ...untried })
  } else {
    const request = { licenseKey, activationId: device.id, fingerprint: device.fingerprint ?? '' }
    const shown = await service.showActivation?.(request, call)
    if (shown !== undefined)
      tried.push({ check: 'show device', ...about(exam, 'show device', shown, 'shown') })
    const validated = await service.validate(request, call)
    if (validated.kind === 'answer') license = validated.value.license
    const judged =
      validated.kind === 'answer' ? judgeLicense(validated.value.license, validated.serverDateMs) : null
    tried.push({ check: 'validate', ...(judged ?? about(exam, 'validate', validated, '')) })
  }
  if (taken === null) {
    const untried = note('not tried: --activate takes a seat, and frees it again')
    return [{ check: 'activate', ...untried }, ...tried]
  }
  const activated =
    taken.kind === 'answer'
      ? good(`took a seat as ${nameOf(taken.value.activation)}`)
      : judgeRefusal(exam, taken, license)
  const freed = await freeSeat(exam, licenseKey, fingerprint, taken)
  return [{ check: 'activate', ...activated }, ...tried, { check: 'deactivate', ...freed }]
}

function about(
  exam: Examination,
  request: 'activate' | 'show device' | 'validate',
  outcome: Outcome<unknown>,
  detail: string,
): Result {
  if (outcome.kind === 'answer') return good(detail)
  const { check: _, ...result } = findingOf(explain(outcome, exam, request), exam)
  return result
}

function judgeLicense(license: LicenseFacts, serverDateMs: number | null): Result {
  const { decision, why } = judge(license, serverDateMs)
  return decision === 'entitled'
    ? good(`the license is ${why}`)
    : note(`answered, and an app would refuse the license: ${why}`)
}

const tryAnother = 'use an active license with a free seat to try it'

/** Judges a refused activation. The commerce service gives no reason, so what is known about the license must do. */
function judgeRefusal(
  exam: Examination,
  taken: Outcome<ActivatedLicense>,
  license: LicenseFacts | null,
): Result {
  if (isUnknownAtGateway(taken)) {
    return bad(
      'the gateway doesn’t know this license key, although it lists its devices: check the gateway’s rule allow if you set one',
    )
  }
  const result = about(exam, 'activate', taken, '')
  const isUnexplained =
    taken.kind === 'unavailable' &&
    taken.cause === 'rejected' &&
    result.detail.includes('refused the request')
  if (!isUnexplained) {
    return result.verdict === 'note' ? note(`${result.detail}: ${tryAnother}`) : result
  }
  const { seatLimit = null, seatsInUse = null } = license ?? {}
  const isInForce = license !== null && readVerdict(license, taken.serverDateMs ?? Date.now()) === 'valid'
  const hasFreeSeats =
    seatLimit === 'unlimited' || (seatLimit !== null && seatsInUse !== null && seatsInUse < seatLimit)
  const refused = `refused with status ${taken.httpStatus}`
  if (isInForce && hasFreeSeats) {
    const log = exam.isGateway ? ': see the gateway’s log' : ''
    return bad(`${refused}, although the license is in force and has free seats${log}`)
  }
  const maybe = 'the license may be full, suspended, expired or not in force'
  return note(`${refused} and without a reason: ${maybe}: ${tryAnother}`)
}

/** Frees the seat, even after Ctrl-C. */
async function freeSeat(
  exam: Examination,
  licenseKey: string,
  fingerprint: string,
  taken: Outcome<ActivatedLicense>,
): Promise<Result> {
  const { service } = exam
  const call: ServiceCall = { ...exam.call, signal: undefined }
  const name = `${deviceName} [${fingerprint}]`
  /** Returns the id of the seat in the list, `null` if the list lacks it. */
  const find = async (): Promise<string | null | 'unlisted'> => {
    const listed = await service.listActivations({ licenseKey }, call)
    // A gateway for several services doesn't know a license without devices.
    if (isUnknownAtGateway(listed)) return null
    if (listed.kind !== 'answer') return 'unlisted'
    return listed.value.activations.find((one) => one.fingerprint === fingerprint)?.id ?? null
  }
  let id: string | null | 'unlisted' = knownSeat(taken)
  if (id === null) {
    if (!mayHaveSeat(taken)) return note('not tried: no seat was taken')
    id = await find()
  }
  if (id === null || id === 'unlisted') {
    const where =
      id === null
        ? 'the list doesn’t show it yet: look for it in a few minutes with latchkey devices list'
        : 'no list shows it: look for it at your service'
    return bad(`the activation may have taken a seat as "${name}", and ${where}`)
  }
  const freed = await service.deactivate({ licenseKey, activationId: id, fingerprint }, call)
  if (freed.kind === 'answer') return good('freed the seat again')
  const { text, check } = explain(freed, exam, 'deactivate')
  if ((await find()) === null) return bad(`freed the seat again, but the answer was lost: ${text}`)
  // The proxy would answer `latchkey devices release` as well.
  const where = check === 'proxy' ? ' directly at the service, or once the proxy lets DELETE through' : ''
  return bad(
    `the seat of "${name}" could not be freed: ${text}. Free it with latchkey devices release${where}.`,
  )
}

function knownSeat(taken: Outcome<ActivatedLicense>): string | null {
  if (taken.kind === 'answer') return taken.value.activation.id
  return taken.kind === 'refusal' ? taken.leftoverActivationId : null
}

/** Whether an activation without a known seat may still have taken one. */
function mayHaveSeat(taken: Outcome<ActivatedLicense>): boolean {
  if (taken.kind !== 'unavailable' || !taken.mayHaveActed) return false
  const { cause, detail } = taken
  if (['rejected', 'access-denied', 'rate-limited', 'not-found'].includes(cause)) return false
  return detail !== 'upstream-unauthorized' && detail !== 'upstream-misconfigured'
}
