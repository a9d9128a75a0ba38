import type { Validation } from '@latchkey/commerce'
import type { LicensingSession } from '../licensing-session.ts'
import { listsActivations } from '../ports/service-port.ts'
import { type ProblemCause, unconfirmed } from '../problem.ts'
import type { Reading } from '../record/reading.ts'
import { isSameId } from '../record/same-id.ts'
import type { LicenseFacts } from '../record/vault.ts'
import { type Asked, askService } from './ask-service.ts'
import { type KeyShown, lookForKey, showKey } from './own-keys.ts'
import { isAbout, readLicense } from './read-answer.ts'
import { type RefusedFailure, readRefusal } from './read-service-failure.ts'

/**
 * Asks the service about one key. A status never proves that a key is gone, not even twice, because a proxy that lost
 * its route can send any status. The proof is a complete list of keys without it, from a host that also refuses to show
 * it, or the gateway's signature if leases are required.
 */
export async function readKey(session: LicensingSession, licenseId: string, keyId: string): Promise<Reading> {
  const { activation } = session.vault()
  const known = activation !== null && isSameId(activation.keyId, keyId) ? activation : null
  const asked = await askToValidate(session, licenseId, keyId, known?.fingerprint)
  if (asked.kind === 'answer') return readLicense(asked.answer, session.ports.clock.now())
  if (asked.isAboutOther) return confirmGone(session, licenseId, keyId, unconfirmed)
  const { failure } = asked
  switch (failure.kind) {
    case 'not-found':
    case 'rejected': {
      const doubt: ProblemCause = { ...failure.cause, code: 'unconfirmed' }
      const proof = await confirmGone(session, licenseId, keyId, doubt)
      return proof.kind === 'revoked' ? proof : { ...proof, isRefused: failure.isFromService }
    }
    case 'refused':
      return afterRefusal(session, licenseId, keyId, failure, known?.license ?? null)
    case 'unauthorized': {
      // A service may deny access when the key is gone. Only the list can prove that. Nothing else is requested, so
      // that an expired token doesn't triple the requests of every device.
      const reading = await searchProof(session, licenseId, keyId, failure.cause)
      const isRefused = failure.isFromService && isAskedAgain(session)
      return reading.kind === 'revoked' ? reading : { kind: 'undecided', isRefused, cause: failure.cause }
    }
    case 'unreachable':
      return { kind: 'undecided', cause: failure.cause }
  }
}

/** Whether access was denied before and the user can't use the app. Only then may a denied key be replaced. */
function isAskedAgain({ published, vault }: LicensingSession): boolean {
  const { problem, entitled } = published.current
  return problem?.code === 'unauthorized' && (vault().activation === null || !entitled)
}

/** Sends *validate* for one key. */
function askToValidate(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  knownFingerprint?: string,
): Promise<Asked<Validation>> {
  return askService(
    session,
    async () => {
      const fingerprint = knownFingerprint ?? (await session.identity()).fingerprint
      return session.ports.commerce.validate(licenseId, keyId, fingerprint)
    },
    (value) => isAbout(value, licenseId, keyId),
  )
}

/** Returns what *validate* alone says about a key, without looking for proof. */
export async function askAbout(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
): Promise<'accepted' | 'refused' | 'unclear'> {
  const asked = await askToValidate(session, licenseId, keyId)
  if (asked.kind === 'answer') return 'accepted'
  const { failure } = asked
  const isRefused = failure.kind === 'not-found' || failure.kind === 'rejected'
  return isRefused && failure.isFromService ? 'refused' : 'unclear'
}

/**
 * A documented reason about the license is definite. One refusal alone doesn't prove that an activation is gone, or that
 * the service knows the license.
 */
async function afterRefusal(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  failure: RefusedFailure,
  known: LicenseFacts | null,
): Promise<Reading> {
  const reading = readRefusal(failure, known)
  if (reading !== null && !failure.mayBeUnknown) {
    session.noteServerTime(failure.serverDateMs)
    return reading
  }
  const { cause } = failure
  const reason = reading === null ? failure.reason : 'unknown-license'
  if (reason !== 'unknown-license' && reason !== 'unknown-activation') {
    return { kind: 'undecided', isDocumented: true, cause }
  }
  const verdict = reading === null ? {} : { verdict: reading.verdict }
  const unknown: Reading = { kind: 'unknown', reason, ...verdict, cause: unconfirmed }
  if (!listsActivations(session.ports.commerce)) return unknown
  const look = await lookForKey(session, licenseId, keyId)
  switch (look.found) {
    case 'gone':
      return { kind: 'revoked', ownKeyIds: look.ownKeyIds }
    case 'refused':
      return unknown
    case 'unreachable':
      return { kind: 'undecided', cause: look.cause }
    case 'there':
    case 'unclear':
      return { kind: 'undecided', cause: unconfirmed }
  }
}

type Proof = Extract<Reading, { kind: 'revoked' | 'undecided' }>

/** Sends *show key* first, which is cheaper: a key that is shown isn't gone. The answer alone never entitles. */
async function confirmGone(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  doubt: ProblemCause,
): Promise<Proof> {
  const shown = await showKey(session, licenseId, keyId)
  if (shown.kind === 'shown') return { kind: 'undecided', cause: unconfirmed }
  const { commerce, leases } = session.ports
  if (leases !== undefined) {
    // If a gateway signs, a "not found" without its signature never gets here. A port that can't show a key signs nothing
    // of the kind: a proxy's page got here.
    const isSigned = commerce.key !== undefined && shown.kind === 'refused' && shown.isNotFound
    return isSigned ? { kind: 'revoked' } : { kind: 'undecided', cause: shown.cause }
  }
  return searchProof(session, licenseId, keyId, doubt, shown)
}

async function searchProof(
  session: LicensingSession,
  licenseId: string,
  keyId: string,
  doubt: ProblemCause,
  shown?: KeyShown,
): Promise<Proof> {
  // The list isn't signed, so it can't revoke a device if leases are required.
  if (session.ports.leases !== undefined) return { kind: 'undecided', cause: doubt }
  const look = await lookForKey(session, licenseId, keyId, shown)
  switch (look.found) {
    case 'gone':
      return { kind: 'revoked', ownKeyIds: look.ownKeyIds }
    case 'unreachable':
      return { kind: 'undecided', cause: look.cause }
    case 'there':
    case 'unclear':
    case 'refused':
      return { kind: 'undecided', cause: doubt }
  }
}
