import { type LicenseKey, toDate } from '@latchkey/commerce'
import type { LicensingSession } from '../licensing-session.ts'
import { listsActivations } from '../ports/service-port.ts'
import type { ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import { askService } from './ask-service.ts'
import { parseKeyName } from './key-name.ts'
import type { Failure } from './read-answer.ts'

/** The outcome of listing a license's keys. */
export type Listing =
  /** The keys that could be read, and those of them with this device's fingerprint, oldest first. */
  | {
      readonly kind: 'keys'
      readonly keys: readonly LicenseKey[]
      readonly own: readonly LicenseKey[]
      /** Whether the list is known to be complete. */
      readonly isWhole: boolean
      /** When it was requested, in milliseconds on the high-water mark. */
      readonly askedAtMs: number
      /** When the list was made, by the service's clock; `null` if it doesn't state a time. */
      readonly serverDateMs: number | null
    }
  /** This app may not list keys, or the list can't be read. Activation works, but adoption doesn't. */
  | {
      readonly kind: 'refused'
      /** Whether the service itself refused. Perhaps it never lets this app list keys. */
      readonly isFromService: boolean
      /** Whether the reason may be that the license doesn't exist. */
      readonly mayBeUnknown: boolean
      /** Whether the answer was a success that isn't a list of keys, so nothing was refused. */
      readonly isUnreadable: boolean
      /** The service has no list, so no request was sent. */
      readonly isUnsupported?: boolean
      readonly cause: ProblemCause
    }
  | { readonly kind: 'undecided'; readonly cause: ProblemCause }

const noList: Listing = {
  kind: 'refused',
  isFromService: true,
  mayBeUnknown: false,
  isUnreadable: false,
  isUnsupported: true,
  cause: { code: 'devices-not-listed' },
}

/** Lists the keys of a license and finds this device's own. */
export async function listKeys(session: LicensingSession, licenseId: string): Promise<Listing> {
  if (!listsActivations(session.ports.commerce)) return noList
  const askedAtMs = session.time.nowMs()
  const asked = await askService(session, async () => {
    await session.identity()
    return session.ports.commerce.keys(licenseId)
  })
  if (asked.kind === 'failure') return afterFailure(asked.failure)
  const { fingerprint } = await session.identity()
  const { value: keys, serverDateMs, isWhole = true } = asked.answer
  const own = keys.filter((key) => parseKeyName(key.name).fingerprint === fingerprint).sort(byAge)
  return { kind: 'keys', keys, own, isWhole, askedAtMs, serverDateMs }
}

function afterFailure(failure: Failure): Listing {
  const { cause } = failure
  switch (failure.kind) {
    case 'not-found':
      return { kind: 'refused', isFromService: false, mayBeUnknown: true, isUnreadable: false, cause }
    case 'refused': {
      const mayBeUnknown = failure.reason === 'unknown-license'
      return { kind: 'refused', isFromService: false, mayBeUnknown, isUnreadable: false, cause }
    }
    case 'rejected':
      return {
        kind: 'refused',
        isFromService: failure.isFromService,
        mayBeUnknown: cause.httpStatus === 400 || cause.httpStatus === 422,
        isUnreadable: false,
        cause,
      }
    case 'unauthorized':
      return {
        kind: 'refused',
        isFromService: failure.isFromService,
        mayBeUnknown: false,
        isUnreadable: false,
        cause,
      }
    case 'unreachable':
      // An unreadable list, or one with too many pages, only prevents adoption, never the activation.
      return failure.oddSuccess === 'json' || failure.isUnreadable === true
        ? { kind: 'refused', isFromService: false, mayBeUnknown: false, isUnreadable: true, cause }
        : { kind: 'undecided', cause }
  }
}

/** The outcome of looking for one key in the list. */
export type KeyLook =
  /** The key exists. `otherKeyIds` has the other keys of the list, or none if the key was only shown. */
  | { readonly found: 'there'; readonly otherKeyIds: readonly string[] }
  /** The list shows these keys of this device instead, oldest first. */
  | { readonly found: 'gone'; readonly ownKeyIds: readonly string[] }
  /** The key is not in the list, but the list is incomplete. */
  | { readonly found: 'unclear' }
  | { readonly found: 'refused' | 'unreachable'; readonly cause: ProblemCause }

/**
 * Looks for a key in the list of keys. The key is gone if a complete list lacks it and the same host refuses to show
 * it. This rules out a proxy that answers everything with an empty list, and one that refuses everything.
 *
 * @param shown the recent answer to *show key*. If absent, it is requested when the list lacks the key.
 */
export async function lookForKey(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  shown?: KeyShown,
): Promise<KeyLook> {
  const listing = await listKeys(session, licenseId)
  switch (listing.kind) {
    case 'keys':
      if (listing.keys.some((key) => isSameId(key.id, keyId))) {
        const otherKeyIds = listing.keys.map(({ id }) => id).filter((id) => !isSameId(id, keyId))
        return { found: 'there', otherKeyIds }
      }
      if (!listing.isWhole) return { found: 'unclear' }
      return absenceOf(session, licenseId, keyId, listing, shown)
    case 'refused':
      return { found: listing.isUnreadable ? 'unreachable' : 'refused', cause: listing.cause }
    case 'undecided':
      return { found: 'unreachable', cause: listing.cause }
  }
}

/** The id of a key that doesn't exist at any service. */
const unknownKeyId = '00000000-0000-4000-8000-000000000000'

/**
 * Whether a list without a key of this device proves that it has none. The same host must refuse to show a key that
 * doesn't exist.
 */
export async function provesAbsence(
  session: LicensingSession,
  licenseId: string,
  listing: KeyListing,
): Promise<KeyLook> {
  if (!listing.isWhole) return { found: 'unclear' }
  return absenceOf(session, licenseId, unknownKeyId, listing)
}

async function absenceOf(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  listing: KeyListing,
  shown?: KeyShown,
): Promise<KeyLook> {
  // Such a port proves its list on its own.
  if (session.ports.commerce.key === undefined) return goneFrom(listing)
  return isAbsent(listing, shown ?? (await showKey(session, licenseId, keyId)))
}

/** The keys of a license. */
export type KeyListing = Extract<Listing, { kind: 'keys' }>

/** A list older than this comes from a cache that was configured to keep it, in milliseconds. */
const longestListAgeMs = 60_000

function goneFrom({ own }: KeyListing): KeyLook {
  return { found: 'gone', ownKeyIds: own.map(({ id }) => id) }
}

function isAbsent(listing: KeyListing, shown: KeyShown): KeyLook {
  switch (shown.kind) {
    case 'shown':
      return { found: 'there', otherKeyIds: [] }
    case 'refused': {
      // A list much older than the refusal comes from a cache and may be older than the key. If only the list states a
      // time, the refusal comes from another host.
      const { serverDateMs } = listing
      const { serverDateMs: refusedAtMs } = shown
      const isOld =
        serverDateMs !== null && (refusedAtMs === null || refusedAtMs - serverDateMs > longestListAgeMs)
      return isOld ? { found: 'unclear' } : goneFrom(listing)
    }
    case 'unreachable':
      return { found: 'unreachable', cause: shown.cause }
  }
}

/** The outcome of requesting one key. */
export type KeyShown =
  | { readonly kind: 'shown' }
  /** The request was understood and refused: the key doesn't exist, or this app may not see it. */
  | {
      readonly kind: 'refused'
      readonly isNotFound: boolean
      /** 401, 403 or 407: nothing is known about the key, and a proxy may have answered. */
      readonly isUnauthorized: boolean
      readonly serverDateMs: number | null
      readonly cause: ProblemCause
    }
  | { readonly kind: 'unreachable'; readonly cause: ProblemCause }

/** Requests one key. */
export async function showKey(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
): Promise<KeyShown> {
  const { commerce } = session.ports
  // The port proves its answers on its own, and its list comes from the service itself.
  if (commerce.key === undefined) {
    return {
      kind: 'refused',
      isNotFound: true,
      isUnauthorized: false,
      serverDateMs: null,
      cause: { code: 'unconfirmed' },
    }
  }
  const { key } = commerce
  const asked = await askService(
    session,
    () => key(licenseId, keyId),
    ({ id }) => isSameId(id, keyId),
  )
  if (asked.kind === 'answer') return { kind: 'shown' }
  const { failure, serverDateMs } = asked
  const { kind, cause } = failure
  if (kind === 'unreachable') return { kind: 'unreachable', cause }
  const isUnauthorized = kind === 'unauthorized'
  return { kind: 'refused', isNotFound: kind === 'not-found', isUnauthorized, serverDateMs, cause }
}

/** Oldest first. Keys of the same age are ordered by id, so that every process picks the same one. */
function byAge(one: LicenseKey, other: LicenseKey): number {
  const ageMs = (key: LicenseKey): number => createdAtMs(key) ?? 0
  const rank = (key: LicenseKey): string => `${key.created_at} ${key.id.toLowerCase()}`
  return ageMs(one) - ageMs(other) || (rank(one) < rank(other) ? -1 : 1)
}

/** When a key was created, in milliseconds since the epoch by the service's clock; `null` if it doesn't say. */
export function createdAtMs({ created_at }: LicenseKey): number | null {
  return toDate(created_at ?? '')?.getTime() ?? null
}
