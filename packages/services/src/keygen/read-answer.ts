import type { LicenseFacts, LicenseStatus } from '../contract/license-facts.ts'
import type { Refusal, RefusalReason, Unavailable } from '../contract/outcome.ts'
import { nothingTold, refusal, unavailable } from '../contract/outcomes.ts'
import type { Reply } from '../http/send.ts'
import { endOf, limitOf } from '../text/timestamps.ts'
import { errorsSchema, type KeygenLicense } from './wire.ts'

// https://keygen.sh/docs/api/licenses/#licenses-actions-validate-key, and the codes of 401, 403 and 422:
// https://keygen.sh/docs/api/errors/
export const reasons: Readonly<Record<string, RefusalReason>> = {
  NOT_FOUND: 'unknown-license',
  SUSPENDED: 'suspended',
  BANNED: 'suspended',
  EXPIRED: 'expired',
  OVERDUE: 'inactive',
  NO_MACHINE: 'unknown-activation',
  NO_MACHINES: 'unknown-activation',
  FINGERPRINT_SCOPE_MISMATCH: 'unknown-activation',
  PRODUCT_SCOPE_MISMATCH: 'wrong-product',
  TOO_MANY_MACHINES: 'no-seat-left',
  LICENSE_INVALID: 'unknown-license',
  LICENSE_SUSPENDED: 'suspended',
  LICENSE_BANNED: 'suspended',
  LICENSE_EXPIRED: 'expired',
  MACHINE_LIMIT_EXCEEDED: 'no-seat-left',
}

/** Error codes that only the vendor can fix. */
export const settings: Readonly<Record<string, string>> = {
  LICENSE_NOT_ALLOWED: 'set authenticationStrategy of the policy to LICENSE or MIXED',
  HEARTBEAT_DEAD: 'the policy requires heartbeats, which are not sent',
  HEARTBEAT_NOT_STARTED: 'the policy requires heartbeats, which are not sent',
}

/** Converts an error code to an outcome. An unknown code is not a refusal. */
export function readCode(code: string, reply: Reply, license: LicenseFacts | null): Refusal | Unavailable {
  const reason = reasons[code]
  if (reason !== undefined) return refusal(reason, reply, license)
  const { status, serverDateMs } = reply
  // Codes are documented by the service and contain no secret.
  const detail = settings[code] ?? (/^[A-Z_]{1,60}$/u.test(code) ? code : null)
  return unavailable('misconfigured', { httpStatus: status, serverDateMs, bodyIsJson: true, detail })
}

/** Returns the first error's code; `null` if the body isn't from the service. */
export function errorCodeOf(reply: Reply): string | null {
  const parsed = errorsSchema.safeParse(reply.body)
  return parsed.success && reply.status >= 400 ? (parsed.data.errors[0]?.code ?? null) : null
}

export function factsOf(
  { id, attributes, relationships }: KeygenLicense,
  product: string,
  status: LicenseStatus | null,
  code: string,
): LicenseFacts {
  return {
    ...nothingTold,
    id,
    status,
    endsAtMs: endOf(attributes.expiry),
    // A policy can keep licenses valid after their end. The response is then `valid` with the code EXPIRED.
    worksAfterEnd: status === 'active' && code === 'EXPIRED',
    seatLimit: limitOf(attributes.maxMachines),
    seatsInUse: relationships?.machines?.meta?.count ?? null,
    product,
    plan: attributes.metadata?.plan ?? attributes.name ?? null,
    features: attributes.metadata?.features?.filter((item) => typeof item === 'string') ?? null,
  }
}
