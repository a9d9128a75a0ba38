import { isSameId } from '@latchkey/commerce'
import {
  type ActivationList,
  type LicenseFacts,
  type LicenseService,
  type Outcome,
  type Refusal,
  readVerdict,
} from '@latchkey/services'
import { exitCodes } from '../exit-codes.ts'
import { printable } from '../printable.ts'
import { answeredValue, isStateReason, outcomeError, reasonTexts } from './outcome-error.ts'
import type { ServiceContext } from './service-context.ts'
import { refuseDeviceName } from './service-keys.ts'
import { readKeyId, readLicenseKey } from './service-license-key.ts'
import { whyNotActivated } from './why-not-activated.ts'

/** What an app would decide. `license` is `null` if a refusal says nothing about it. */
interface Decision {
  readonly decision:
    | 'entitled'
    | 'expired'
    | 'suspended'
    | 'inactive'
    | 'revoked'
    | 'misconfigured'
    | 'undecided'
  readonly why: string
  readonly license: LicenseFacts | null
}

/** `latchkey license check <license>`: shows what an app would decide now, and why. */
export async function checkServiceLicense(
  context: ServiceContext,
  license: string,
  options: { readonly key?: string },
): Promise<number> {
  const { service, terminal } = context
  const licenseKey = await readLicenseKey(service, license, terminal)
  const keyId = options.key === undefined ? null : await readKeyId(options.key, terminal)
  const { decision, why, license: facts } = await decide(context, licenseKey, keyId)
  const limit = facts?.seatLimit ?? null
  const used = facts?.seatsInUse ?? null
  const seatsLeft = typeof limit === 'number' && used !== null ? Math.max(0, limit - used) : null
  const exitCode = decision === 'entitled' ? exitCodes.ok : exitCodes.negative
  if (context.json) {
    const { product = null, plan = null } = facts ?? {}
    return context.printJson(
      { decision, why, seatsLeft, activation_usage: used, activation_limit: limit, product, plan },
      exitCode,
    )
  }
  const anyNumber = decision === 'misconfigured' ? 'none' : 'any number'
  const free = limit === 'unlimited' ? anyNumber : (seatsLeft ?? 'unknown')
  await terminal.out.write(`${decision}: ${printable(why)}\n`)
  await terminal.out.write(`seats: ${used ?? 'unknown'}/${limit ?? 'unknown'} in use, ${free} free\n`)
  if (facts?.plan != null) await terminal.out.write(`plan: ${printable(facts.plan)}\n`)
  return exitCode
}

async function decide(context: ServiceContext, licenseKey: string, keyId: string | null): Promise<Decision> {
  const { service, call } = context
  const seen = await service.showLicense?.({ licenseKey }, call)
  if (seen === undefined) return undecided('the service shows no license without a device')
  if (seen.kind === 'unavailable') throw outcomeError(seen)
  if (seen.kind === 'refusal') return refused(seen)
  const listed = await service.listActivations?.({ licenseKey }, call)
  const license = withSeats(seen.value, listed)
  if (keyId !== null) return forDevice(context, licenseKey, keyId, license, listed)
  const decision = judged(license, seen.serverDateMs)
  const why = decision.decision === 'entitled' ? problemOf(service, license, listed) : null
  return why === null ? decision : { decision: 'misconfigured', why, license }
}

type Listed = Outcome<ActivationList> | undefined

/** Adds the number of devices from the list if the service doesn't report it. */
function withSeats(license: LicenseFacts, listed: Listed): LicenseFacts {
  const isCounted = license.seatsInUse !== null || listed?.kind !== 'answer' || !listed.value.isWhole
  return isCounted ? license : { ...license, seatsInUse: listed.value.activations.length }
}

/** Why no app can activate a license that is in force; `null` if nothing is known that prevents it. */
function problemOf(service: LicenseService, license: LicenseFacts, listed: Listed): string | null {
  const isMisconfigured = listed?.kind === 'unavailable' && listed.cause === 'misconfigured'
  return isMisconfigured
    ? `an app can’t activate it: ${listed.detail ?? 'the service isn’t set up for this'}`
    : whyNotActivated(service, license)
}

async function forDevice(
  { service, call }: ServiceContext,
  licenseKey: string,
  activationId: string,
  license: LicenseFacts,
  listed: Listed,
): Promise<Decision> {
  if (listed === undefined) return undecided('the service lists no devices')
  const { activations, isWhole } = answeredValue(listed)
  const found = activations.find(({ id }) => isSameId(id, activationId))
  if (found === undefined) {
    refuseDeviceName(activations, activationId)
    return isWhole
      ? { decision: 'revoked', why: 'the complete list of the license’s devices lacks this one', license }
      : undecided('the list of devices could not be read completely: an app keeps its state')
  }
  const request = { licenseKey, activationId, fingerprint: found.fingerprint ?? '' }
  const outcome: Outcome<{ license: LicenseFacts }> = await service.validate(request, call)
  if (outcome.kind === 'answer') {
    const told = outcome.value.license
    return judged({ ...told, seatsInUse: told.seatsInUse ?? license.seatsInUse }, outcome.serverDateMs)
  }
  if (outcome.kind === 'unavailable') throw outcomeError(outcome)
  return refused(outcome)
}

function judged(license: LicenseFacts, serverDateMs: number | null): Decision {
  const verdict = readVerdict(license, serverDateMs ?? Date.now())
  const { endsAtMs } = license
  const end =
    endsAtMs === null
      ? 'its end is not told'
      : endsAtMs === 'never'
        ? 'without end'
        : `ends ${new Date(endsAtMs).toISOString()}`
  return verdict === 'valid'
    ? { decision: 'entitled', why: `in force, ${end}`, license }
    : { decision: verdict, why: verdict === 'expired' ? end : reasonTexts[verdict], license }
}

/** @throws {OutcomeError} for a license key that isn't one of this product. */
function refused(outcome: Refusal): Decision {
  const { reason, license } = outcome
  if (!isStateReason(reason)) throw outcomeError(outcome)
  return { decision: reason, why: reasonTexts[reason], license }
}

function undecided(why: string): Decision {
  return { decision: 'undecided', why, license: null }
}
