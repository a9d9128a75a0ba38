import { makeRoom } from '../make-room.ts'
import { storedKey } from './stored-key.ts'

/** How an address asks for licenses that the service doesn't know, in one minute. */
interface Guesses {
  readonly licenses: Set<string>
  answers: number
}

/** What became of a request: the service knows the license, doesn't know it, or didn't say. */
export type LicenseKnowledge = 'known' | 'unknown' | 'unclear'

/** Limits requests for made-up licenses, of which each one would reach the service. */
export interface UnknownLicenseLimit {
  /**
   * Asks whether a request may reach the service.
   *
   * @returns what to call with its outcome, or when to retry, in milliseconds.
   */
  enter(address: string, licenseId: string): Promise<((knowledge: LicenseKnowledge) => void) | number>
}

const windowMs = 60_000
/** An office with a few mistyped keys stays below. */
const mostLicenses = 20
/** Of one mistyped key, every computer of an office asks a few times. */
const mostAnswers = 60
/** How long an address that reached the limit is counted before the answer, so that it can't ask all at once. */
const cautiousMs = 3_600_000
/** Most entries of each kind, so that made-up licenses and addresses can't use up the memory. */
const maxKept = 10_000

/**
 * Creates a limit that counts in this process. A license that the service knew stays served, so that a stranger behind
 * the same address doesn't stop a customer.
 */
export function createUnknownLicenseLimit(clock: () => number): UnknownLicenseLimit {
  const known = new Set<string>()
  const cautiousUntilMs = new Map<string, number>()
  let window = 0
  let addresses = new Map<string, Guesses>()
  let kept = 0

  const guessesOf = (address: string, nowMs: number): Guesses => {
    const current = Math.floor(nowMs / windowMs)
    if (current !== window) {
      window = current
      addresses = new Map()
      kept = 0
    }
    return addresses.get(address) ?? { licenses: new Set(), answers: 0 }
  }

  const count = (address: string, guesses: Guesses, license: string): boolean => {
    if (kept >= maxKept) return false
    kept += 1
    addresses.set(address, guesses)
    guesses.licenses.add(license)
    guesses.answers += 1
    return true
  }

  const isOver = ({ licenses, answers }: Guesses, license: string): boolean =>
    answers >= mostAnswers || (licenses.size >= mostLicenses && !licenses.has(license))

  const beCautious = (address: string, nowMs: number): void => {
    makeRoom(cautiousUntilMs, maxKept)
    cautiousUntilMs.set(address, nowMs + cautiousMs)
  }

  return {
    async enter(rawAddress, licenseId) {
      if (known.has(licenseId)) return () => {}
      const license = await storedKey(licenseId)
      if (known.has(license)) return () => {}
      const address = await storedKey(rawAddress)
      const nowMs = clock()
      const guesses = guessesOf(address, nowMs)
      if (isOver(guesses, license)) {
        beCautious(address, nowMs)
        return windowMs - (nowMs % windowMs)
      }
      const isCautious = (cautiousUntilMs.get(address) ?? 0) > nowMs
      const isNew = !guesses.licenses.has(license)
      const isCounted = isCautious && count(address, guesses, license)
      return (knowledge) => {
        if (knowledge === 'known') {
          makeRoom(known, maxKept)
          known.add(license)
          if (!isCounted) return
          guesses.answers -= 1
          if (isNew) guesses.licenses.delete(license)
        } else if (knowledge === 'unknown' && !isCautious) {
          const answeredMs = clock()
          const present = guessesOf(address, answeredMs)
          count(address, present, license)
          // Requests that were all sent before the first answer came are over the limit, too.
          if (isOver(present, '')) beCautious(address, answeredMs)
        }
      }
    },
  }
}
