import type { Desk } from './desk.ts'
import { type KeyShown, lookForKey, showKey } from './own-keys.ts'
import { listsActivations } from './ports/service-port.ts'
import type { Trouble } from './problem.ts'
import { isAbout, type Reading, readFailure, readLicense } from './read-answer.ts'
import { type RefusedFailure, readRefusal } from './read-service-failure.ts'
import { isSameId } from './same-id.ts'
import type { LicenseFacts } from './vault.ts'

/**
 * Asks the service about one key. No status proves that a key is gone, not even twice: every one of them can come from
 * a proxy that lost its route. The proof is a whole list of keys that lacks it from a host that refuses to show it, or the
 * gateway's signature where leases are required.
 */
export async function readKey(desk: Desk, licenseId: string, keyId: string): Promise<Reading> {
  const { activation } = desk.vault()
  const known = activation !== null && isSameId(activation.keyId, keyId) ? activation : null
  try {
    const fingerprint = known?.fingerprint ?? (await desk.identity()).fingerprint
    const answer = await desk.ports.commerce.validate(licenseId, keyId, fingerprint)
    if (!isAbout(answer.value, licenseId, keyId))
      return await confirmGone(desk, licenseId, keyId, unconfirmed)
    desk.answered(answer.serverDateMs)
    return readLicense(answer, desk.ports.clock.now())
  } catch (error) {
    const failure = readFailure(error)
    switch (failure.kind) {
      case 'not-found':
      case 'rejected': {
        const doubt: Trouble = { ...failure.trouble, code: 'unconfirmed' }
        const proof = await confirmGone(desk, licenseId, keyId, doubt)
        return proof.kind === 'revoked' ? proof : { ...proof, isRefused: failure.isFromService }
      }
      case 'refused':
        return afterRefusal(desk, licenseId, keyId, failure, known?.license ?? null)
      case 'unauthorized': {
        // A service may refuse access where the key is gone. An expired token must not triple a fleet's requests: the
        // list alone is asked, for only it can tell.
        const reading = await searchProof(desk, licenseId, keyId, failure.trouble)
        return reading.kind === 'revoked' ? reading : { kind: 'undecided', trouble: failure.trouble }
      }
      case 'unreachable':
        return { kind: 'undecided', trouble: failure.trouble }
    }
  }
}

/** What *validate* alone says about a key, without a look for proof. */
export async function askAbout(
  desk: Desk,
  licenseId: string,
  keyId: string,
): Promise<'accepted' | 'refused' | 'unclear'> {
  try {
    const { fingerprint } = await desk.identity()
    const { value } = await desk.ports.commerce.validate(licenseId, keyId, fingerprint)
    return isAbout(value, licenseId, keyId) ? 'accepted' : 'unclear'
  } catch (error) {
    const failure = readFailure(error)
    const isRefused = failure.kind === 'not-found' || failure.kind === 'rejected'
    return isRefused && failure.isFromService ? 'refused' : 'unclear'
  }
}

/** A documented reason is definite when it is about the license. Whether an activation is gone takes more than one word. */
async function afterRefusal(
  desk: Desk,
  licenseId: string,
  keyId: string,
  failure: RefusedFailure,
  known: LicenseFacts | null,
): Promise<Reading> {
  const reading = readRefusal(failure, known)
  if (reading !== null) {
    desk.answered(failure.serverDateMs)
    return reading
  }
  const { reason, trouble } = failure
  if (reason !== 'unknown-license' && reason !== 'unknown-activation') return { kind: 'undecided', trouble }
  if (!listsActivations(desk.ports.commerce)) return { kind: 'unknown', reason, trouble: unconfirmed }
  const look = await lookForKey(desk, licenseId, keyId)
  switch (look.found) {
    case 'gone':
      return { kind: 'revoked' }
    case 'refused':
      return { kind: 'unknown', reason, trouble: unconfirmed }
    case 'unreachable':
      return { kind: 'undecided', trouble: look.trouble }
    case 'there':
    case 'unclear':
      return { kind: 'undecided', trouble: unconfirmed }
  }
}

type Proof = Extract<Reading, { kind: 'revoked' | 'undecided' }>

const unconfirmed: Trouble = { code: 'unconfirmed' }

/** *Show key* first, the cheaper question: a key that is shown is not gone. The answer never entitles by itself. */
async function confirmGone(desk: Desk, licenseId: string, keyId: string, doubt: Trouble): Promise<Proof> {
  const shown = await showKey(desk, licenseId, keyId)
  if (shown.kind === 'shown') return { kind: 'undecided', trouble: unconfirmed }
  // Where leases are required, a "not found" without the gateway's signature never gets here.
  if (desk.ports.leases !== undefined) {
    return shown.kind === 'refused' && shown.isNotFound
      ? { kind: 'revoked' }
      : { kind: 'undecided', trouble: shown.trouble }
  }
  return searchProof(desk, licenseId, keyId, doubt, shown)
}

async function searchProof(
  desk: Desk,
  licenseId: string,
  keyId: string,
  doubt: Trouble,
  shown?: KeyShown,
): Promise<Proof> {
  // The list is not signed: where leases are required it revokes nobody.
  if (desk.ports.leases !== undefined) return { kind: 'undecided', trouble: doubt }
  const look = await lookForKey(desk, licenseId, keyId, shown)
  switch (look.found) {
    case 'gone':
      return { kind: 'revoked' }
    case 'unreachable':
      return { kind: 'undecided', trouble: look.trouble }
    case 'there':
    case 'unclear':
    case 'refused':
      return { kind: 'undecided', trouble: doubt }
  }
}
