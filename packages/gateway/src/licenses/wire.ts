import { composeKeyName, type License, type LicenseKey, readFeatures, readPlan } from '@latchkey/commerce'
import type { Activation, ActivationList, LicenseFacts } from '@latchkey/services'

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
  const { seatLimit, seatsInUse, endsAtMs, endsAt, worksAfterEnd, suspendedAtMs, createdAtMs, updatedAtMs } =
    facts
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
      status === 'expired' && !hasEnded
        ? timestampOfNow(nowMs)
        : worksAfterEnd
          ? null
          : (endsAt ?? timestampOf(endMs)),
    suspended_at: status === 'suspended' ? (timestampOf(suspendedAtMs) ?? timestampOfNow(nowMs)) : null,
    status: facts.rawStatus ?? status.toUpperCase(),
    created_at: timestampOf(createdAtMs),
    updated_at: timestampOf(updatedAtMs),
    ...(plan !== undefined && { plan }),
    ...(features !== undefined && { features }),
  }
}

/** Converts an activation to the LicenseKey of the app's API. */
export function keyOf({ id, deviceName, fingerprint, createdAtMs, updatedAtMs }: Activation): LicenseKey {
  const label = deviceName ?? ''
  return {
    id,
    name: fingerprint === null ? label : composeKeyName(label, fingerprint, Number.POSITIVE_INFINITY),
    // With milliseconds, because of several activations the oldest is kept.
    created_at: timestampOf(createdAtMs),
    updated_at: timestampOf(updatedAtMs),
  }
}

/**
 * Creates the response body of a list of keys. `links.next` is relative, because the gateway doesn't know its public
 * address. `meta.unreadable` counts left-out items, so that apps don't treat the list as complete.
 */
export function keyListOf(
  { activations, isWhole, nextPage = null, unreadableCount = 0 }: ActivationList,
  page: number,
): object {
  const data = activations.map(keyOf)
  // Without links, an app can't tell a whole list of 25 keys from a first page.
  if (isWhole && page === 1) return { data, links: { next: null }, meta: { total: data.length } }
  const isCut = !isWhole && nextPage === null && unreadableCount === 0
  return {
    data,
    links: { next: nextPage === null ? null : `?page=${nextPage}` },
    meta: { current_page: page, unreadable: isCut ? 1 : unreadableCount },
  }
}

function timestampOf(ms: number | null | undefined): string | null {
  return ms == null ? null : `${new Date(ms).toISOString().slice(0, -1)}000Z`
}

/** In whole seconds, like the `Date` of a response, which must not be before the license's end. */
function timestampOfNow(nowMs: number): string | null {
  return timestampOf(Math.floor(nowMs / 1000) * 1000)
}
