import { type CommerceError, type License, remainingSeats } from '@latchkey/commerce'
import { judgeLicense } from '../judge-license.ts'
import { explainRefusal } from './explain-failure.ts'
import type { Finding } from './finding.ts'

type Result = Pick<Finding, 'verdict' | 'detail'>

const noSeat = 'every seat is taken: use a license with a free seat to try it'
const useAnother = 'use an active license with a free seat to try it'

/** What a gateway's refusal says about the license. The gateway itself works, except for `wrong-product`. */
const licenseCodes: Readonly<Record<string, Result>> = {
  'wrong-product': {
    verdict: 'bad',
    detail:
      'the license key belongs to another product, store or plan: check the product and store settings of the gateway, or the key',
  },
  'test-license': {
    verdict: 'note',
    detail:
      'the license key was created in test mode, which the gateway’s settings don’t allow: use another license to try it',
  },
  'no-seat-left': {
    verdict: 'note',
    detail: noSeat,
  },
  'license-expired': { verdict: 'note', detail: `the license has ended: ${useAnother}` },
  'license-suspended': { verdict: 'note', detail: `the license is suspended: ${useAnother}` },
  'license-inactive': { verdict: 'note', detail: `the license is not in force: ${useAnother}` },
}

/** Explains a refusal because of the license; `null` for other errors. */
export function explainLicense({ code, refusalCode }: CommerceError): Result | null {
  if (code !== 'rejected' || refusalCode === null || !Object.hasOwn(licenseCodes, refusalCode)) return null
  const known = licenseCodes[refusalCode]
  return known === undefined ? null : { ...known, detail: `${known.detail} (${refusalCode})` }
}

/** Explains why a refused license has no list of devices; `null` if the gateway's settings may be wrong. */
export function explainUnusable(error: CommerceError): string | null {
  const result = explainLicense(error)
  return result?.verdict === 'note' ? result.detail : null
}

/** Whether an activation is refused without a reason, as by the commerce service. */
export function isUnexplained(error: CommerceError): boolean {
  const { code, operation, refusalCode } = error
  const isKnown = refusalCode !== null && Object.hasOwn(licenseCodes, refusalCode)
  if (explainRefusal(error) !== null) return false
  return code === 'rejected' && operation === 'licenses.activate' && !isKnown
}

/**
 * Judges a refusal to activate without a reason.
 *
 * @param license the license as another answer shows it; `null` if none does.
 * @param isUnused whether the license has no devices. It may still have no seats at all.
 */
export function judgeUnexplained(
  { status }: CommerceError,
  license: License | null,
  isUnused = false,
): Result {
  const refused = `refused with status ${status}`
  const seats = license === null ? null : remainingSeats(license)
  if (license === null || (isEntitled(license) && seats === null)) {
    const perhaps = `${isUnused ? 'without any seats' : 'full'}, suspended, expired or not in force`
    const detail = `${refused} and without a reason: the license may be ${perhaps}. To try it, use an active license with a free seat`
    return { verdict: 'note', detail }
  }
  if (!isEntitled(license)) {
    const { why } = judgeLicense(license, Date.now())
    return { verdict: 'note', detail: `${refused}, and the license is not in force (${why}): ${useAnother}` }
  }
  if (seats === 0) return { verdict: 'note', detail: `${refused}, and ${noSeat}` }
  const detail = `${refused}, although the license is in force and has free seats: see the gateway’s log`
  return { verdict: 'bad', detail }
}

/** Judges the license in the answer to a validation. */
export function judgeValidated(license: License): Result {
  const { decision, why } = judgeLicense(license, Date.now())
  return decision === 'entitled'
    ? { verdict: 'good', detail: `the license’s status is ${license.status}` }
    : { verdict: 'note', detail: `answered, and an app would refuse the license: ${why}` }
}

function isEntitled(license: License): boolean {
  return judgeLicense(license, Date.now()).decision === 'entitled'
}
