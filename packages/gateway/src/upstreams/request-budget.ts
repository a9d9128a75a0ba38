import type { ServiceCall } from '@latchkey/services'
import { createInProcessRateLimiter, type RateLimitAnswer } from '../limits/rate-limiter.ts'
import { makeRoom } from '../make-room.ts'

type Fetch = NonNullable<ServiceCall['fetch']>

/** How many requests a minute a gateway sends to a service, which counts all customers of a gateway as one address. */
export interface RequestBudget {
  /** Whether half of the requests of this minute are used, so that answers are repeated from memory. */
  isTight(): boolean
  /** Remembers a license key that the service called good. */
  noteGood(licenseKey: string): void
  /**
   * Counts the requests that a `fetch` sends. Half of the budget is kept for activations, and for license keys that are
   * known to be good: a stranger's requests are refused first. A refused request gets the service's own answer, a 429.
   */
  counted(fetch: Fetch | undefined, about: { licenseKey: string; isActivation: boolean }): Fetch
}

const minuteMs = 60_000

/** Most license keys to remember. */
const maxGood = 100_000

export function createRequestBudget(perMinute: number, clock: () => number): RequestBudget {
  const everyone = createInProcessRateLimiter({ max: perMinute, windowMs: minuteMs, clock })
  const strangers = createInProcessRateLimiter({
    max: Math.max(1, Math.floor(perMinute / 2)),
    windowMs: minuteMs,
    clock,
  })
  const half = createInProcessRateLimiter({ max: Math.floor(perMinute / 2), windowMs: minuteMs, clock })
  const good = new Set<string>()
  let tightUntilMs = 0

  async function take(isPreferred: boolean): Promise<RateLimitAnswer> {
    const counting = await half.take('all')
    if (!counting.allowed) tightUntilMs = clock() + counting.retryAfterMs
    const counted = isPreferred ? null : await strangers.take('all')
    return counted?.allowed === false ? counted : everyone.take('all')
  }

  return {
    isTight: () => clock() < tightUntilMs,
    noteGood(licenseKey) {
      if (good.has(licenseKey)) return
      makeRoom(good, maxGood)
      good.add(licenseKey)
    },
    counted(fetch = globalThis.fetch, { licenseKey, isActivation }) {
      return async (request, init) => {
        const answer = await take(isActivation || good.has(licenseKey))
        if (answer.allowed) return fetch(request, init)
        const seconds = String(Math.max(1, Math.ceil(answer.retryAfterMs / 1000)))
        return new Response(null, { status: 429, headers: { 'retry-after': seconds } })
      }
    },
  }
}
