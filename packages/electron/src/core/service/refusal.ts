import type { LicenseKey } from '@latchkey/commerce'
import type { ProblemCode } from '../../shared/problem.ts'
import type { LicensingSession } from '../licensing-session.ts'
import type { ProblemCause } from '../problem.ts'
import type { LicenseFacts, Verdict } from '../record/vault.ts'
import { readKey } from './validation.ts'

/** The problem for a verdict; `null` for a valid license. */
export function refusalCode(verdict: Verdict): ProblemCode | null {
  switch (verdict) {
    case 'valid':
      return null
    case 'expired':
      return 'license-expired'
    case 'suspended':
      return 'license-suspended'
    case 'inactive':
      return 'license-inactive'
    case 'revoked':
      return 'moved-to-another-device'
  }
}

/**
 * Finds out why a license takes no more devices. Validating any of its keys shows the license and its facts.
 * Returns `null` if the facts don't explain it.
 */
export async function reasonOfRefusal(
  session: LicensingSession,
  licenseId: string,
  keys: readonly LicenseKey[],
): Promise<ProblemCause | null> {
  for (const { id } of keys.slice(0, mostKeysAsked)) {
    const reading = await readKey(session, licenseId, id)
    // A service may list keys that it has deactivated. Another key may still show the license.
    if (reading.kind === 'undecided' && reading.isRefused === true) continue
    if (reading.kind !== 'licensed') return null
    const hasRoom = hasSeat(reading.license, keys.length)
    const code = refusalCode(reading.verdict) ?? (hasRoom ? null : 'no-seat-left')
    return code === null ? null : { code }
  }
  return null
}

const mostKeysAsked = 3

/** Whether a seat may be free. A license without a stated limit never counts as full. */
function hasSeat({ activationUsage, activationLimit }: LicenseFacts, keyCount: number): boolean {
  return activationLimit === null || (activationUsage ?? keyCount) < activationLimit
}
