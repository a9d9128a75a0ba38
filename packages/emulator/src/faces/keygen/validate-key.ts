import type { LicenseData } from '../../data/emulator-data.ts'
import type { ServiceState } from '../../service/service-state.ts'
import { fingerprintOf, isExpired, keygenIds } from './keygen-objects.ts'

/** The result of *validate key*. */
export interface KeygenVerdict {
  readonly valid: boolean
  readonly detail: string
  readonly code: string
}

const say = (valid: boolean, detail: string, code: string): KeygenVerdict => ({ valid, detail, code })

/**
 * The checks in the server's order:
 *
 * https://github.com/keygen-sh/keygen-api/blob/f70c4f4e00bc6b3357a05d46bef52df5ccdb9da9/app/services/license_validation_service.rb
 *
 * The emulator's license status represents what it has no field for: `BANNED`, `OVERDUE`, `MAINTAIN_ACCESS` for a policy
 * that lets a license work after its end, and `REVOKE_ACCESS` for one that refuses it as a credential then.
 */
export function validateKey(
  state: ServiceState,
  license: LicenseData | null,
  scope: Record<string, unknown>,
): KeygenVerdict {
  if (license === null) return say(false, 'does not exist', 'NOT_FOUND')
  if (license.status === 'BANNED') return say(false, 'is banned', 'BANNED')
  if (license.suspended_at !== null) return say(false, 'is suspended', 'SUSPENDED')
  if (license.status === 'OVERDUE') return say(false, 'is overdue for check in', 'OVERDUE')
  if (scope['product'] !== undefined && scope['product'] !== keygenIds.product) {
    return say(false, 'product scope does not match', 'PRODUCT_SCOPE_MISMATCH')
  }
  const { fingerprint } = scope
  if (fingerprint !== undefined) {
    if (license.keys.length === 0) {
      return say(false, 'fingerprint is not activated (has no associated machines)', 'NO_MACHINES')
    }
    if (!license.keys.some((key) => fingerprintOf(key) === fingerprint)) {
      const detail = 'fingerprint is not activated (does not match any associated machines)'
      return say(false, detail, 'FINGERPRINT_SCOPE_MISMATCH')
    }
  }
  if (license.keys.length === 0) return say(false, 'must have at least 1 associated machine', 'NO_MACHINES')
  if (license.keys.length > 1 && license.keys.length > license.activation_limit) {
    return say(false, 'has too many associated machines', 'TOO_MANY_MACHINES')
  }
  if (isExpired(state, license)) return say(license.status === 'MAINTAIN_ACCESS', 'is expired', 'EXPIRED')
  return say(true, 'is valid', 'VALID')
}
