import { composeKeyName, type License, type LicenseKey, readFeatures, readPlan } from '@latchkey/commerce'
import type { Activation, LicenseFacts } from '@latchkey/services'

/**
 * Converts a service's facts to the License of the app's API.
 *
 * All versions of the app decide by `status`, `suspended_at`, and `expires_at`. Some services report "suspended" or
 * "expired" without a time, so the time of the response is used instead. A license that the service reports as active
 * stays active even after its end, because the app checks the end itself, with its trusted clock.
 *
 * @param nowMs when the service responded, in milliseconds since the epoch.
 */
export function licenseOf(licenseKey: string, facts: LicenseFacts, nowMs: number): License {
  const { seatLimit, seatsInUse, endsAtMs, worksAfterEnd } = facts
  const plan = readPlan(facts.plan ?? undefined)
  const features = readFeatures(facts.features)
  const status = facts.status ?? 'active'
  const endMs = typeof endsAtMs === 'number' && !worksAfterEnd ? endsAtMs : null
  const hasEnded = endMs !== null && endMs <= nowMs
  const limit = typeof seatLimit === 'number' ? seatLimit : null
  return {
    id: licenseKey,
    activation_limit: limit,
    activation_usage: seatsInUse,
    activation_usage_formatted: limit === null || seatsInUse === null ? null : `${seatsInUse}/${limit}`,
    expires_at:
      status === 'expired' && !hasEnded ? timestamp(nowMs) : endMs === null ? null : timestamp(endMs),
    suspended_at: status === 'suspended' ? timestamp(nowMs) : null,
    status: status.toUpperCase(),
    created_at: null,
    updated_at: null,
    ...(plan !== undefined && { plan }),
    ...(features !== undefined && { features }),
  }
}

/** Converts an activation to the LicenseKey of the app's API. */
export function keyOf({ id, deviceName, fingerprint, createdAtMs }: Activation): LicenseKey {
  const label = deviceName ?? ''
  return {
    id,
    name: fingerprint === null ? label : composeKeyName(label, fingerprint, Number.POSITIVE_INFINITY),
    // With milliseconds, because of several activations the oldest is kept.
    created_at: createdAtMs === null ? null : `${new Date(createdAtMs).toISOString().slice(0, -1)}000Z`,
    updated_at: null,
  }
}

/** Formats in whole seconds, like the `Date` of a response, which must not be before the license's end. */
function timestamp(ms: number): string {
  const seconds = new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, -5)
  return `${seconds}.000000Z`
}
