import { type LicenseKey, toDate } from '@latchkey/commerce'
import type { Desk } from './desk.ts'
import { parseKeyName } from './key-name.ts'
import type { Trouble } from './problem.ts'
import { type Failure, readFailure } from './read-answer.ts'
import { isSameId } from './same-id.ts'

/** What listing the keys of a license brought. */
export type Listing =
  /** The keys that could be read, and among them those that bear this device's fingerprint, oldest first. */
  | {
      readonly kind: 'keys'
      readonly keys: readonly LicenseKey[]
      readonly own: readonly LicenseKey[]
      /** Whether a key that is not among them does not exist. */
      readonly isWhole: boolean
    }
  /** This app may not list keys, or the list cannot be read: activation works, adoption does not. */
  | {
      readonly kind: 'refused'
      /** Whether the service itself does not let this app list keys, so that asking later changes nothing. */
      readonly isLasting: boolean
      /** Whether the reason may be that there is no such license. */
      readonly mayBeUnknown: boolean
      /** Whether it was answered with a success that is no list of keys: nobody refused anything. */
      readonly isUnreadable: boolean
      readonly trouble: Trouble
    }
  | { readonly kind: 'undecided'; readonly trouble: Trouble }

/** Lists the keys of a license and finds this device's own. */
export async function listKeys(desk: Desk, licenseId: string): Promise<Listing> {
  try {
    const { fingerprint } = await desk.identity()
    const { value: keys, serverDateMs, isWhole = true } = await desk.ports.commerce.keys(licenseId)
    desk.answered(serverDateMs)
    const own = keys.filter((key) => parseKeyName(key.name).fingerprint === fingerprint).sort(byAge)
    return { kind: 'keys', keys, own, isWhole }
  } catch (error) {
    return afterFailure(readFailure(error))
  }
}

function afterFailure(failure: Failure): Listing {
  const { trouble } = failure
  switch (failure.kind) {
    case 'not-found':
      return { kind: 'refused', isLasting: false, mayBeUnknown: true, isUnreadable: false, trouble }
    case 'rejected':
      return {
        kind: 'refused',
        isLasting: failure.isFromService,
        mayBeUnknown: trouble.httpStatus === 400 || trouble.httpStatus === 422,
        isUnreadable: false,
        trouble,
      }
    case 'unauthorized':
      return {
        kind: 'refused',
        isLasting: failure.isFromService,
        mayBeUnknown: false,
        isUnreadable: false,
        trouble,
      }
    case 'unreachable':
      // A list of another shape, or one too long to walk, costs the adoption and never the activation.
      return failure.oddSuccess === 'json'
        ? { kind: 'refused', isLasting: false, mayBeUnknown: false, isUnreadable: true, trouble }
        : { kind: 'undecided', trouble }
  }
}

/** What looking for one key in the list brought. */
export type KeyLook =
  | { readonly found: 'there' | 'gone' }
  /** The key is not in the list, and the list is not whole. */
  | { readonly found: 'unclear' }
  | { readonly found: 'refused' | 'unreachable'; readonly trouble: Trouble }

/** Looks for a key in the list of keys: the one proof there is that it no longer exists. */
export async function lookForKey(desk: Desk, licenseId: string, keyId: string): Promise<KeyLook> {
  const listing = await listKeys(desk, licenseId)
  switch (listing.kind) {
    case 'keys':
      if (listing.keys.some((key) => isSameId(key.id, keyId))) return { found: 'there' }
      return { found: listing.isWhole ? 'gone' : 'unclear' }
    case 'refused':
      return { found: listing.isUnreadable ? 'unreachable' : 'refused', trouble: listing.trouble }
    case 'undecided':
      return { found: 'unreachable', trouble: listing.trouble }
  }
}

/** Oldest first; two made in the same instant are told apart by id, so that every process picks the same. */
function byAge(one: LicenseKey, other: LicenseKey): number {
  const ageMs = ({ created_at }: LicenseKey): number => toDate(created_at ?? '')?.getTime() ?? 0
  const rank = (key: LicenseKey): string => `${key.created_at} ${key.id.toLowerCase()}`
  return ageMs(one) - ageMs(other) || (rank(one) < rank(other) ? -1 : 1)
}
