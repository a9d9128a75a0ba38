import type { Activation, LicenseFacts, LicenseStatus } from '../contract/license-facts.ts'
import type { Refusal, RefusalReason, Unavailable } from '../contract/outcome.ts'
import { nothingTold, refusal, unavailable } from '../contract/outcomes.ts'
import { type Reply, undocumented } from '../http/send.ts'
import { endOf, limitOf, timestampMs } from '../text/timestamps.ts'
import { errorsSchema, type KeygenLicense, type KeygenMachine } from './wire.ts'

// https://keygen.sh/docs/api/licenses/#licenses-actions-validate-key, and the codes of 401, 403 and 422:
// https://keygen.sh/docs/api/errors/
const reasons: Readonly<Record<string, RefusalReason>> = {
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

/** Codes that only the vendor can do something about. */
const settings: Readonly<Record<string, string>> = {
  LICENSE_NOT_ALLOWED:
    'the policy must allow license keys as credentials (authenticationStrategy LICENSE or MIXED)',
  HEARTBEAT_DEAD: 'the policy requires heartbeats, which are not sent',
  HEARTBEAT_NOT_STARTED: 'the policy requires heartbeats, which are not sent',
}

/** Why a code refuses. A code that isn't known here decides nothing. */
export function readCode(code: string, reply: Reply, license: LicenseFacts | null): Refusal | Unavailable {
  const reason = reasons[code]
  if (reason !== undefined) return refusal(reason, reply, license)
  const { status, serverDateMs } = reply
  // A code itself is a word of the service's documentation and holds no secret.
  const detail = settings[code] ?? (/^[A-Z_]{1,60}$/u.test(code) ? code : null)
  return unavailable('misconfigured', { httpStatus: status, serverDateMs, bodyIsJson: true, detail })
}

/** Reads a 4xx of the service. */
export function readError(reply: Reply, license: LicenseFacts | null = null): Refusal | Unavailable {
  const code = errorCodeOf(reply)
  if (code === null || (reasons[code] === undefined && settings[code] === undefined)) {
    return undocumented(reply)
  }
  return code === 'NOT_FOUND' ? undocumented(reply) : readCode(code, reply, license)
}

/** The first error's code; `null` when the body isn't the service's. */
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
    // Policies can let a license work on after its end: then EXPIRED comes with `valid`.
    worksAfterEnd: status === 'active' && code === 'EXPIRED',
    seatLimit: limitOf(attributes.maxMachines),
    seatsInUse: relationships?.machines?.meta?.count ?? null,
    product,
    plan: attributes.metadata?.plan ?? attributes.name ?? null,
    features: attributes.metadata?.features?.filter((item) => typeof item === 'string') ?? null,
  }
}

export function activationOf({ id, attributes }: KeygenMachine): Activation {
  const { fingerprint, name, created } = attributes
  return { id, deviceName: name ?? null, fingerprint, createdAtMs: timestampMs(created) }
}
