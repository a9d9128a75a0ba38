import type { ServiceCall } from '@latchkey/services'
import { createSlidingWindow } from '../limits/rate-limiter.ts'
import { createMemory } from '../memory.ts'

type Fetch = NonNullable<ServiceCall['fetch']>

/** How many requests a minute a gateway sends to a service, which counts all customers of a gateway as one address. */
export interface RequestBudget {
  /** Whether half of the requests of this minute are used, so that answers are repeated from memory. */
  isTight(): boolean
  /** Notes that the service called a license key good. */
  noteGood(licenseKey: string): void
  /**
   * Counts the requests that a `fetch` sends. Half of the budget is kept for activations, and for license keys that the
   * service called good: a stranger's requests are refused first. A refused request gets the service's own answer, a 429.
   */
  counted(fetch: Fetch | undefined, about: { licenseKey: string; isActivation: boolean }): Fetch
}

/** Most license keys to remember. */
const maxGood = 100_000

export function createRequestBudget(perMinute: number, clock: () => number): RequestBudget {
  const good = createMemory<true>(maxGood)
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
    noteGood: (licenseKey) => good.set(licenseKey, true),
    isTight: () => window.used('all') >= half,
    counted(fetch = globalThis.fetch, { licenseKey, isActivation }) {
      return async (request, init) => {
        if (!isRefused(isActivation || good.has(licenseKey))) return fetch(request, init)
        const seconds = Math.max(1, Math.ceil(window.remainingMs() / 1000))
        return new Response(null, { status: 429, headers: { 'retry-after': String(seconds) } })
      }
    },
  }
}
