import { isSameId } from '@latchkey/commerce'
import {
  type ActivationList,
  isOlderThan,
  isTestLicense,
  type LicenseFacts,
  type LicenseService,
  type Outcome,
  type RefusalReason,
  readVerdict,
} from '@latchkey/services'
import { exitCodes } from '../command-error.ts'
import { failureError, isStateReason, reasonTexts } from '../explain/failure.ts'
import { readActivationId, readLicenseKey } from '../read-input.ts'
import { type CommandContext, connectGateway, type ServiceContext, show } from '../settings.ts'
import { refuseDeviceName } from './devices.ts'

type State = Extract<RefusalReason, 'expired' | 'suspended' | 'inactive'>

/** What an app would decide. `license` is `null` if nothing is known about it. */
interface Decision {
  readonly decision: 'entitled' | State | 'revoked' | 'misconfigured' | 'undecided'
  readonly why: string
  readonly license: LicenseFacts | null
}

/** `latchkey license check <license>`: shows what an app would decide now, and why. */
export async function checkLicense(
  context: ServiceContext,
  license: string,
  { device }: { readonly device?: string },
): Promise<number> {
  const { service, terminal } = context
  const licenseKey = await readLicenseKey(service, license, terminal)
  const activationId = device === undefined ? null : await readActivationId(device, terminal)
  const { decision, why, license: facts } = await decide(context, licenseKey, activationId)
  const { seatLimit: limit = null, seatsInUse: used = null, product = null, plan = null } = facts ?? {}
  const seatsLeft = typeof limit === 'number' && used !== null ? Math.max(0, limit - used) : null
  const seats = { seatsLeft, activation_usage: used, activation_limit: limit }
  const anyNumber = decision === 'misconfigured' ? 'none' : 'any number'
  const free = limit === 'unlimited' ? anyNumber : (seatsLeft ?? 'unknown')
  await show(
    context,
    { decision, why, ...seats, product, plan },
    `${decision}: ${why}`,
    ...(facts === null ? [] : [`seats: ${used ?? 'unknown'}/${limit ?? 'unknown'} in use, ${free} free`]),
    ...(plan === null ? [] : [`plan: ${plan}`]),
  )
  return decision === 'entitled' ? exitCodes.ok : exitCodes.negative
}

/** `latchkey license link <license> --gateway <url>`: prints where the customer releases a device. Nothing is sent. */
export async function linkLicense(
  given: CommandContext,
  license: string,
  { gateway }: { readonly gateway: string },
): Promise<number> {
  const context = connectGateway(gateway, given)
  const { service, terminal, baseUrl } = context
  const licenseKey = await readLicenseKey(service, license, terminal)
  // No server gets a URL's fragment.
  const link = `${baseUrl.replace(/\/$/u, '')}/devices#key=${encodeURIComponent(licenseKey)}`
  return show(context, { link }, link)
}

async function decide(
  context: ServiceContext,
  licenseKey: string,
  activationId: string | null,
): Promise<Decision> {
  const { service, call } = context
  const seen = await service.showLicense?.({ licenseKey }, call)
  const refused = decisionOfRefusal(seen)
  if (refused !== null) return refused
  if (seen !== undefined && seen.kind !== 'answer') throw failureError(seen, context, 'show license')
  const listed = await service.listActivations({ licenseKey }, call)
  if (seen === undefined || activationId !== null)
    return decideForDevice(context, licenseKey, activationId, listed)
  const license = withSeats(seen.value, listed)
  const isMisconfigured = listed.kind === 'unavailable' && listed.cause === 'misconfigured'
  const why = isMisconfigured
    ? `an app can’t activate it: ${listed.detail ?? 'the service isn’t set up for this'}`
    : whyNotActivated(service, license)
  const decision = judge(license, seen.serverDateMs)
  const isInForce = decision.decision === 'entitled'
  return isInForce && why !== null ? { decision: 'misconfigured', why, license } : decision
}

/** What a refusal that is about the state of the license decides; `null` for another outcome. */
function decisionOfRefusal(outcome: Outcome<unknown> | undefined): Decision | null {
  if (outcome?.kind !== 'refusal' || !isStateReason(outcome.reason)) return null
  return { decision: outcome.reason, why: reasonTexts[outcome.reason], license: outcome.license }
}

/** Adds the number of devices from the list if the service doesn't report it. */
function withSeats(license: LicenseFacts, listed: Outcome<ActivationList>): LicenseFacts {
  const isCounted = license.seatsInUse !== null || listed.kind !== 'answer' || !listed.value.isWhole
  return isCounted ? license : { ...license, seatsInUse: listed.value.activations.length }
}

/** Why no packaged app activates a license that is in force; `null` if nothing is known that prevents it. */
export function whyNotActivated(service: LicenseService, facts: LicenseFacts): string | null {
  if (service.name === 'polar' && facts.seatLimit === 'unlimited') {
    return 'an app can’t activate it, because the license key benefit has no activation limit: turn on Limit activations in Polar'
  }
  return isTestLicense(service, facts)
    ? 'a packaged app can’t activate it, because the license key was created in test mode'
    : null
}

/**
 * Decides by one device, as its app does: an activation is gone only if the complete list lacks it and the same host
 * refuses to show it. Without an activation id, any device of the license shows the license.
 */
async function decideForDevice(
  context: ServiceContext,
  licenseKey: string,
  activationId: string | null,
  listed: Outcome<ActivationList>,
): Promise<Decision> {
  const { service, call } = context
  if (listed.kind !== 'answer') {
    if (activationId === null || !isUnexplainedRefusal(listed))
      throw failureError(listed, context, 'list devices')
    // A misconfigured proxy answers the same way.
    return undecided('the service refuses the list of devices: check the license key and the base URL')
  }
  const { activations, isWhole } = listed.value
  const found =
    activationId === null ? activations[0] : activations.find(({ id }) => isSameId(id, activationId))
  if (found !== undefined) {
    const request = { licenseKey, activationId: found.id, fingerprint: found.fingerprint ?? '' }
    const outcome = await service.validate(request, call)
    if (outcome.kind === 'answer') {
      return judge(withSeats(outcome.value.license, listed), outcome.serverDateMs)
    }
    if (!isUnexplainedRefusal(outcome)) throw failureError(outcome, context, 'validate')
    return undecided(
      `validation was refused (status ${outcome.httpStatus}) while the device is still in the list: an app keeps its state and checks again`,
    )
  }
  if (activationId === null) {
    return undecided(
      'no device is activated, and the service shows a license only through one of its devices',
    )
  }
  refuseDeviceName(activations, activationId)
  if (!isWhole) return undecided('the list of devices could not be read completely: an app keeps its state')
  const shown = await service.showActivation?.({ licenseKey, activationId, fingerprint: '' }, call)
  if (shown?.kind === 'answer') {
    return undecided('the list lacks the device while it is still shown: an app keeps its state')
  }
  if (shown !== undefined && !isUnexplainedRefusal(shown)) throw failureError(shown, context, 'show device')
  if (shown !== undefined && isOlderThan(shown.serverDateMs, listed.serverDateMs)) {
    return undecided('the list of devices comes from a cache or another host: an app keeps its state')
  }
  const why = 'the device is not in the list: its seat was freed from another device or by support'
  return { decision: 'revoked', why, license: null }
}

/** Whether a service refused a request about an activation, which alone proves nothing. */
function isUnexplainedRefusal(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'refusal') return outcome.reason === 'unknown-activation'
  if (outcome.kind === 'answer') return false
  const { cause, httpStatus, bodyIsJson } = outcome
  // If the service accepts the access token for the list, that isn't the reason.
  const isForbidden = cause === 'access-denied' && httpStatus === 403 && bodyIsJson === true
  return cause === 'not-found' || cause === 'rejected' || isForbidden
}

/** Returns what an app decides about a license, by the service's clock. */
export function judge(license: LicenseFacts, serverDateMs: number | null): Decision {
  const verdict = readVerdict(license, serverDateMs ?? Date.now())
  const { endsAt, endsAtMs, rawStatus } = license
  const end = typeof endsAtMs === 'number' ? (endsAt ?? new Date(endsAtMs).toISOString()) : endsAtMs
  if (verdict === 'valid') {
    const ends = end === null ? 'its end is not told' : end === 'never' ? 'without end' : `ends ${end}`
    return { decision: 'entitled', why: `in force, ${ends}`, license }
  }
  const status = verdict === 'inactive' && rawStatus != null ? ` (status ${rawStatus})` : ''
  const why = verdict === 'expired' && end !== null ? `ended ${end}` : `${reasonTexts[verdict]}${status}`
  return { decision: verdict, why, license }
}

function undecided(why: string): Decision {
  return { decision: 'undecided', why, license: null }
}
