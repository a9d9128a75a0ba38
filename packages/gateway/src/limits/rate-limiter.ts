/** What a limiter answers. */
export type RateLimitAnswer =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterMs: number }

/**
 * Counts requests by key. The gateway itself keeps nothing between requests; what several instances have to know
 * together goes through this port.
 */
export interface RateLimiter {
  /**
   * Takes one request off the allowance of `key`: a license id or a client address.
   * Rejects when the store behind it is out of reach. The request is then let through: it is a paying customer's.
   */
  take(key: string): Promise<RateLimitAnswer>
}

/** How many requests one key may make. */
export interface RateLimit {
  readonly max: number
  readonly windowMs: number
}
