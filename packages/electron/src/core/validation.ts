import type { Desk } from './desk.ts'
import { type Reading, readFailure, readLicense } from './read-answer.ts'

/**
 * Asks the service about one key. A key counts as gone only when two sources say so: *validate* refuses it, and
 * *show key* answers, in JSON, that there is none.
 */
export async function readKey(desk: Desk, licenseId: string, keyId: string): Promise<Reading> {
  try {
    const answer = await desk.ports.commerce.validate(licenseId, keyId)
    desk.answered(answer.serverDateMs)
    return readLicense(answer, desk.ports.clock.now())
  } catch (error) {
    const failure = readFailure(error)
    return failure.kind === 'not-found' || failure.kind === 'rejected'
      ? await confirmGone(desk, licenseId, keyId)
      : { kind: 'undecided', trouble: failure.trouble }
  }
}

/** Asks *show key* whether a refused key still exists; the answer never entitles by itself. */
export async function confirmGone(
  desk: Desk,
  licenseId: string,
  keyId: string,
): Promise<Extract<Reading, { kind: 'revoked' | 'undecided' }>> {
  try {
    const { serverDateMs } = await desk.ports.commerce.key(licenseId, keyId)
    desk.answered(serverDateMs)
    return { kind: 'undecided', trouble: { code: 'unconfirmed' } }
  } catch (error) {
    const failure = readFailure(error)
    switch (failure.kind) {
      case 'not-found':
        return failure.isFromService ? { kind: 'revoked' } : { kind: 'undecided', trouble: failure.trouble }
      case 'rejected':
        return { kind: 'undecided', trouble: { ...failure.trouble, code: 'unconfirmed' } }
      case 'unauthorized':
      case 'unreachable':
        return { kind: 'undecided', trouble: failure.trouble }
    }
  }
}
