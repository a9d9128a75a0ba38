import type { ActivatedLicense } from '../contract/license-facts.ts'
import type { ActivateRequest } from '../contract/license-service.ts'
import type { Outcome, Unavailable } from '../contract/outcome.ts'
import { answer, refusal, unknownStatus } from '../contract/outcomes.ts'
import { type Reply, undocumented } from '../http/send.ts'
import { composeActivationName } from '../text/activation-name.ts'
import type { LemonSqueezySettings } from './options.ts'
import { activationOf, type LicenseReading, readLicense, reasonOf } from './read-license.ts'

/** How an activation asks the service. */
export interface Requests {
  /** Asks about the license alone, which changes nothing. */
  look(): Promise<LicenseReading>
  send(form: Record<string, string>): Promise<Reply | Unavailable>
}

/** Takes a seat. A launch doesn't need it. */
export async function activate(
  settings: LemonSqueezySettings,
  { licenseKey, deviceName, fingerprint, allowsTestLicense = true }: ActivateRequest,
  { look, send }: Requests,
): Promise<Outcome<ActivatedLicense>> {
  // The service activates keys of any store, so check the store first to avoid using another license's seat.
  const before = await look()
  if (before.kind !== 'license') return before
  if (before.license.isTest === true && !allowsTestLicense && !settings.testMode) {
    return refusal('test-license', { status: 200, serverDateMs: before.serverDateMs }, before.license)
  }
  // An activated device goes on by what `valid` says, but no seat is taken for a status that may mean no.
  if (before.license.status === null) return unknownStatus(before)
  const instance_name = composeActivationName(deviceName, fingerprint)
  const reply = await send({ license_key: licenseKey, instance_name })
  if (reply.kind !== 'reply') return reply
  const reading = readLicense(reply, licenseKey, settings)
  if (reading.kind !== 'license') return reading
  const { activated, instance } = reading.body
  if (activated === true && instance != null) {
    const activation = activationOf(instance.id, instance.name, instance.created_at)
    return answer({ license: reading.license, activation }, reply.serverDateMs)
  }
  const reason = activated === false ? reasonOf(reading.body, reading.license) : null
  if (reason !== null) return refusal(reason, reply, reading.license)
  return { ...undocumented(reply), mayHaveActed: activated !== false }
}
