import type { LicensingSession } from '../licensing-session.ts'
import { isIdempotent } from '../ports/service-port.ts'
import type { SeatEvidence } from '../record/licensing-event.ts'
import type { KeyListing, Listing } from './own-keys.ts'

/** The last request may still take effect, and no list was read. */
export const unread: SeatEvidence = { isAnswered: false, list: { kind: 'unread' }, mustReadAgain: false }

/** The last request may still take effect, and this list was read. */
export function readIn({ askedAtMs }: KeyListing): SeatEvidence {
  return { ...unread, list: { kind: 'read', askedAtMs } }
}

/** The outcomes of listing after which an activation may be sent. */
export type ListingBefore = Exclude<Listing, { kind: 'undecided' }>

/** What is known after this device got a seat. */
export function evidenceAfterSuccess({ ports }: LicensingSession, before: ListingBefore): SeatEvidence {
  if (before.kind === 'refused' && before.isUnsupported !== true) {
    // The list may become readable later and then show an older key of this device.
    return {
      isAnswered: true,
      list: { kind: before.isFromService ? 'refused' : 'unread' },
      mustReadAgain: true,
    }
  }
  if (before.kind === 'refused') {
    return { isAnswered: true, list: { kind: 'needless' }, mustReadAgain: false }
  }
  // Another process on this device may have activated too. List again, so that all of them keep the oldest key. Where a
  // device can't take two seats, an earlier request may still take one after this seat is freed.
  return { ...readIn(before), isAnswered: true, mustReadAgain: !isIdempotent(ports.commerce) }
}

/** What is known after a failed request if no list could be read since. */
export function evidenceUnseen(
  refusal: { readonly isFromService: boolean } | null,
  before: ListingBefore,
): SeatEvidence {
  // A host that listed the keys a moment ago and now refuses everything may have acted before it started refusing.
  if (refusal?.isFromService !== true || before.kind !== 'refused') return unread
  // A proxy that refuses everything may have let the request through before. Later, the list shows whether it did.
  return before.isUnsupported === true
    ? { ...unread, isAnswered: true }
    : { isAnswered: true, list: { kind: 'refused' }, mustReadAgain: true }
}
