import type { Activation, LicenseFacts, LicenseStatus } from '../contract/license-facts.ts'
import type { Refusal, RefusalReason, Unavailable } from '../contract/outcome.ts'
import { nothingTold, refusal, unknownStatus } from '../contract/outcomes.ts'
import { type Reply, undocumented } from '../http/send.ts'
import { parseActivationName } from '../text/activation-name.ts'
import { endOf, limitOf, timestampMs } from '../text/timestamps.ts'
import type { LemonSqueezySettings } from './options.ts'
import { type LicenseAnswer, type LicenseKey, licenseAnswerSchema, type Meta } from './wire.ts'

/** What a reply reports about the license, for any request. */
export type LicenseReading =
  /** The license can be used, but the request itself may have been refused. */
  | {
      readonly kind: 'license'
      readonly license: LicenseFacts
      readonly body: LicenseAnswer
      readonly serverDateMs: number | null
    }
  | Refusal
  | Unavailable

/** The service's statuses: https://docs.lemonsqueezy.com/api/license-api */
const statuses: Readonly<Record<string, LicenseStatus>> = {
  active: 'active',
  // Valid, but not activated on any device yet.
  inactive: 'active',
  expired: 'expired',
  disabled: 'suspended',
}

/** Reads a reply by its body, because the HTTP statuses of refusals aren't documented. */
export function readLicense(
  reply: Reply,
  licenseKey: string,
  settings: LemonSqueezySettings,
): LicenseReading {
  const parsed = licenseAnswerSchema.safeParse(reply.body)
  if (!parsed.success) return undocumented(reply, false)
  const body = parsed.data
  const isGood = body.valid ?? body.activated ?? body.deactivated
  const { license_key: key, meta } = body
  if (key == null) {
    const isUnknown = reply.status === 404 && /license_key not found/iu.test(body.error ?? '')
    // A proxy's error has neither. It may repeat the path, which contains `licenses`.
    const isOwn = isGood != null || /license[_ ]key/iu.test(body.error ?? '')
    return isUnknown ? refusal('unknown-license', reply) : undocumented(reply, isOwn)
  }
  // Without its store, the key may belong to any vendor.
  if (meta == null || !isSameKey(key, licenseKey)) return undocumented({ ...reply, status: 200 })
  if (meta.store_id !== settings.storeId || !settings.productIds.includes(meta.product_id))
    return refusal('wrong-product', reply)

  const license = factsOf(key, meta)
  if (!isGood && license.status !== 'active') {
    return license.status === null ? unknownStatus(reply) : refusal(license.status, reply, license)
  }
  // `valid` counts more than the status, which stays `null` if it is an unknown one.
  const status = license.status && 'active'
  return { kind: 'license', license: { ...license, status }, body, serverDateMs: reply.serverDateMs }
}

/** Whether a refusal may mean that the instance is unknown. The text of that one isn't documented. */
export function mayMeanInstance({ status }: Reply, { cause, bodyIsJson }: Unavailable): boolean {
  // An `unexpected-answer` is about another license.
  return bodyIsJson === true && (status === 400 || status === 404) && cause !== 'unexpected-answer'
}

/** Returns why an activation of a valid license was refused; `null` if the response has no reason. */
export function reasonOf({ error }: LicenseAnswer, license: LicenseFacts): RefusalReason | null {
  if (/activation limit/iu.test(error ?? '')) return 'no-seat-left'
  const { seatLimit, seatsInUse } = license
  return typeof seatLimit === 'number' && seatsInUse !== null && seatsInUse >= seatLimit
    ? 'no-seat-left'
    : null
}

export function activationOf(
  id: string,
  name: string | null | undefined,
  createdAt: string | null | undefined,
): Activation {
  const { deviceName = null, fingerprint = null } = name == null ? {} : parseActivationName(name)
  return { id, deviceName, fingerprint, createdAtMs: timestampMs(createdAt) }
}

function factsOf(key: LicenseKey, meta: Meta): LicenseFacts {
  return {
    ...nothingTold,
    id: key.id,
    status: statuses[key.status ?? ''] ?? null,
    endsAtMs: endOf(key.expires_at),
    seatLimit: limitOf(key.activation_limit),
    seatsInUse: key.activation_usage ?? null,
    product: meta.product_id,
    plan: meta.variant_name ?? null,
    isTest: key.test_mode ?? null,
  }
}

function isSameKey({ key }: LicenseKey, licenseKey: string): boolean {
  return key == null || key.toLowerCase() === licenseKey.toLowerCase()
}
