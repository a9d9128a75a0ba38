import type { ServiceCall } from '@latchkey/services'
import { createSlidingWindow } from '../limits/rate-limiter.ts'
import type { Memory } from '../memory.ts'

type Fetch = NonNullable<ServiceCall['fetch']>

/** How many requests a minute a gateway sends to a service, which counts all customers of a gateway as one address. */
export interface RequestBudget {
  /** Whether half of the requests of this minute are used, so that answers are repeated from memory. */
  isTight(): boolean
  /**
   * Counts the requests that a `fetch` sends. Half of the budget is kept for activations, and for license keys that the
   * service knows: a stranger's requests are refused first. A refused request gets the service's own answer, a 429.
   */
  counted(fetch: Fetch | undefined, about: { licenseKey: string; isActivation: boolean }): Fetch
}

/** @param known the license keys that the service knows. */
export function createRequestBudget(
  perMinute: number,
  known: Memory<true>,
  clock: () => number,
): RequestBudget {
  const window = createSlidingWindow({ windowMs: 60_000, clock })
  const half = Math.max(1, Math.floor(perMinute / 2))

  function isRefused(isPreferred: boolean): boolean {
    if (window.used('all') + 1 > perMinute) return true
    if (!isPreferred && window.used('strangers') + 1 > half) return true
    window.count('all')
    if (!isPreferred) window.count('strangers')
    return false
  }

  return {
    isTight: () => window.used('all') >= half,
    counted(fetch = globalThis.fetch, { licenseKey, isActivation }) {
      return async (request, init) => {
        if (!isRefused(isActivation || known.has(licenseKey))) return fetch(request, init)
        const seconds = Math.max(1, Math.ceil(window.remainingMs() / 1000))
        return new Response(null, { status: 429, headers: { 'retry-after': String(seconds) } })
      }
    },
  }
}
