import { sha256 } from '../sha256.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** A rate-limit binding of Cloudflare Workers. Its limit and period are set in the worker's configuration. */
export interface WorkersRateLimitBinding {
  /** Counts a request of `key`. `success` says whether it is allowed. */
  limit(options: { key: string }): Promise<{ success: boolean }>
}

/**
 * Creates a limiter that uses a Workers rate-limit binding. Keys are hashed before they are passed to the binding.
 *
 * @param options how long the binding counts.
 * @param options.periodMs the binding's configured `period` in milliseconds, sent as `Retry-After`. The binding doesn't
 * report it. 60,000 if you leave it out.
 */
export function createWorkersRateLimiter(
  binding: WorkersRateLimitBinding,
  { periodMs = 60_000 }: { readonly periodMs?: number | undefined } = {},
): RateLimiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key: await sha256(key) })
      return success ? { allowed: true } : { allowed: false, retryAfterMs: periodMs }
    },
  }
}
