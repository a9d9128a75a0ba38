import { type LicenseKey, toDate } from '@latchkey/commerce'
import type { Desk } from './desk.ts'
import { parseKeyName } from './key-name.ts'
import type { Trouble } from './problem.ts'
import { readFailure } from './read-answer.ts'

/** What listing the keys of a license brought. */
export type Listing =
  /** Every key, and among them those that bear this device's fingerprint, oldest first. */
  | { readonly kind: 'keys'; readonly keys: readonly LicenseKey[]; readonly own: readonly LicenseKey[] }
  /** The service's word: there is no such license. */
  | { readonly kind: 'no-license' }
  /** The service, or a box on the way to it, does not let this app list keys: activation works, adoption does not. */
  | { readonly kind: 'refused'; readonly isFromService: boolean; readonly trouble: Trouble }
  | { readonly kind: 'undecided'; readonly trouble: Trouble }

/** Lists the keys of a license and finds this device's own. */
export async function listKeys(desk: Desk, licenseId: string): Promise<Listing> {
  try {
    const { fingerprint } = await desk.identity()
    const { value: keys, serverDateMs } = await desk.ports.commerce.keys(licenseId)
    desk.answered(serverDateMs)
    const own = keys.filter((key) => parseKeyName(key.name).fingerprint === fingerprint).sort(byAge)
    return { kind: 'keys', keys, own }
  } catch (error) {
    const failure = readFailure(error)
    switch (failure.kind) {
      case 'not-found':
        return failure.isFromService
          ? { kind: 'no-license' }
          : { kind: 'undecided', trouble: failure.trouble }
      case 'rejected':
      case 'unauthorized':
        return { kind: 'refused', isFromService: failure.isFromService, trouble: failure.trouble }
      case 'unreachable':
        return { kind: 'undecided', trouble: failure.trouble }
    }
  }
}

/** Oldest first; two made in the same instant are told apart by id, so that every process picks the same. */
function byAge(one: LicenseKey, other: LicenseKey): number {
  const ageMs = ({ created_at }: LicenseKey): number => toDate(created_at ?? '')?.getTime() ?? 0
  const rank = (key: LicenseKey): string => `${key.created_at} ${key.id}`
  return ageMs(one) - ageMs(other) || (rank(one) < rank(other) ? -1 : 1)
}
