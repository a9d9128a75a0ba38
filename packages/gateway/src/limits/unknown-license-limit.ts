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
   * Asks whether a request may reach the service. It waits while the address has too many requests without an answer.
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
/** How long a request waits for the answers to others, in milliseconds. A slow service must not stop an office. */
const longestWaitMs = 4_000
/**
 * How long it waits before it looks for them, in milliseconds: longer each time, because many requests may wait. On some
 * platforms, it can't wait for another request's promise.
 */
const pausesMs = { first: 20, longest: 250 }
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
  // By address: requests for licenses that may be unknown, without an answer so far.
  let underWay = new Map<string, number>()

  const guessesOf = (address: string, nowMs: number): Guesses => {
    const current = Math.floor(nowMs / windowMs)
    if (current !== window) {
      window = current
      addresses = new Map()
      kept = 0
      // A request whose client went away may end without a trace.
      underWay = new Map()
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

  /** Counts a request as under way. @returns what to call when it has its answer. */
  const begin = (address: string): (() => void) => {
    const counts = underWay
    makeRoom(counts, maxKept)
    counts.set(address, (counts.get(address) ?? 0) + 1)
    return () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left === 0) counts.delete(address)
      else counts.set(address, left)
    }
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
      const address = await storedKey(rawAddress)
      let guesses: Guesses
      let isCautious: boolean
      const beganAtMs = performance.now()
      for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
        if (known.has(license)) return () => {}
        const nowMs = clock()
        guesses = guessesOf(address, nowMs)
        if (isOver(guesses, license)) {
          beCautious(address, nowMs)
          return windowMs - (nowMs % windowMs)
        }
        isCautious = (cautiousUntilMs.get(address) ?? 0) > nowMs
        // All that are under way may turn out to be unknown. A cautious address is counted before the answer.
        const mostUnderWay = Math.max(1, mostLicenses - guesses.licenses.size)
        const isFree = (underWay.get(address) ?? 0) < mostUnderWay
        if (isFree || isCautious || performance.now() - beganAtMs >= longestWaitMs) break
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
      const end = begin(address)
      const isNew = !guesses.licenses.has(license)
      const isCounted = isCautious && count(address, guesses, license)
      return (knowledge) => {
        end()
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
