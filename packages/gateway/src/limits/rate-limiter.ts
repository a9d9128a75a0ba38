/** Whether a request is allowed, and if not, when to retry. */
export type RateLimitAnswer =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterMs: number }

/**
 * Counts requests per key. Implement it to share the counters between several instances of the gateway.
 */
export interface RateLimiter {
  /**
   * Counts one request of `key`, which is a license ID or a client address. If the store is unreachable, the promise
   * rejects, and the gateway allows the request so that customers aren't blocked.
   */
  take(key: string): Promise<RateLimitAnswer>
}

/** How many requests a license or an address may make in a time window. */
export interface RateLimit {
  /** Number of requests. */
  readonly max: number
  /** Length of the window in milliseconds. */
  readonly windowMs: number
}
