import { sha256 } from '../sha256.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** A rate-limit binding of Cloudflare Workers. Its limit and period stand in the worker's configuration. */
export interface WorkersRateLimitBinding {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

/**
 * A limiter on a Workers rate-limit binding. Keys are hashed before they leave the worker.
 *
 * @param options.periodMs the `period` configured for the binding, which it does not tell; sent as `Retry-After`.
 */
export function createWorkersRateLimiter(
  binding: WorkersRateLimitBinding,
  { periodMs = 60_000 }: { readonly periodMs?: number } = {},
): RateLimiter {
  return {
    async take(key) {
      const { success } = await binding.limit({ key: await sha256(key) })
      return success ? { allowed: true } : { allowed: false, retryAfterMs: periodMs }
    },
  }
}
