import * as z from 'zod/mini'
import { GatewayConfigError } from '../gateway-config-error.ts'
import { aFunction, findShapeProblems, number, type Shape } from '../options/option-shapes.ts'
import type { RateLimit, RateLimiter } from './rate-limiter.ts'
import { storedKey } from './stored-key.ts'

/** Options for {@link createInProcessRateLimiter}. */
export interface InProcessRateLimiterOptions extends RateLimit {
  /**
   * Maximum number of keys counted in one window. Further keys are allowed without counting them, so that a flood of
   * made-up keys can't use up the memory.
   * @default 100_000
   */
  readonly maxKeys?: number | undefined
  /** Returns the current time in milliseconds since the epoch. @default Date.now */
  readonly clock?: (() => number) | undefined
}

/**
 * Creates a limiter for a single instance. It keeps a sliding window of two counters per key, and no timer, so it also
 * runs on platforms that don't allow timers outside of a request.
 *
 * @throws {GatewayConfigError} if an option is missing, invalid, or isn't an option.
 */
export function createInProcessRateLimiter(options: InProcessRateLimiterOptions): RateLimiter {
  checkOptions(options)
  const { max, windowMs, maxKeys = 100_000, clock = Date.now } = options
  let window = 0
  let current = new Map<string, number>()
  let previous = new Map<string, number>()

  const turnTo = (now: number): void => {
    const nextWindow = Math.floor(now / windowMs)
    if (nextWindow === window) return
    previous = nextWindow === window + 1 ? current : new Map()
    current = new Map()
    window = nextWindow
  }

  return {
    async take(id) {
      const key = await storedKey(id)
      const now = clock()
      turnTo(now)
      const count = current.get(key) ?? 0
      const passedMs = now - window * windowMs
      const weighted = count + (previous.get(key) ?? 0) * (1 - passedMs / windowMs)
      if (weighted + 1 > max) return { allowed: false, retryAfterMs: windowMs - passedMs }
      if (count > 0 || current.size < maxKeys) current.set(key, count + 1)
      return { allowed: true }
    },
  }
}

const shape: Shape = {
  max: number,
  windowMs: number,
  maxKeys: z.optional(number),
  clock: z.optional(aFunction),
}

/** Without a number in each place, no request would be over the limit. */
function checkOptions(options: InProcessRateLimiterOptions): void {
  const { problems: misshapen, unreadable } = findShapeProblems(options, shape)
  const problems = misshapen.map((problem) => `createInProcessRateLimiter: ${problem}`)
  const check = (name: 'max' | 'windowMs' | 'maxKeys', holds: (value: number) => boolean, rule: string) => {
    const value = unreadable.has(name) ? undefined : options[name]
    if (value === undefined || holds(value)) return
    problems.push(`createInProcessRateLimiter: ${name} must be ${rule}.`)
  }
  check('max', (value) => value >= 0, 'at least 0')
  check('windowMs', (value) => value > 0 && Number.isFinite(value), 'more than 0 milliseconds')
  check('maxKeys', (value) => value >= 1, 'at least 1')
  if (problems.length > 0) throw new GatewayConfigError(problems)
}
