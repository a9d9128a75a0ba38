import type { LicensingSession } from '../../licensing-session.ts'
import type { KeyListing, Listing } from '../../service/own-keys.ts'
import { mayReplace } from './adoption.ts'

/** The keys that are known if the service refuses to list them. */
const noneListed: KeyListing = {
  kind: 'keys',
  keys: [],
  own: [],
  isWhole: false,
  askedAtMs: 0,
  serverDateMs: null,
}

/**
 * Whether a user may get a new seat although the service refuses to validate the key on record and to list the keys. Such
 * a refusal doesn't prove that the key is gone, so grace must have ended. A service without a list documents its refusals
 * of a key that is gone.
 *
 * If two answers in a row were lost, a third request would probably just take another seat. The user can cancel the
 * activation and start again.
 */
export function mayReplaceUnlisted(
  session: LicensingSession,
  licenseId: string,
  { isUnsupported }: Extract<Listing, { kind: 'refused' }>,
): boolean {
  if (isUnsupported === true || session.published.current.entitled) return false
  if (session.vault().pending?.earlierUntilMs !== undefined) return false
  return mayReplace(session, licenseId, noneListed)
}
