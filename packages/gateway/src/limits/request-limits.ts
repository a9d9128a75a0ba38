import {
  convertIPv4BinaryToString,
  convertIPv4MappedIPv6ToIPv4,
  convertIPv6BinaryToString,
  convertIPv6ToBinary,
  distinctRemoteAddr,
  isIPv4MappedIPv6,
} from 'hono/utils/ipaddr'
import type { GatewayLimits } from '../gateway-options.ts'
import { type Reply, refused } from '../http/reply.ts'
import type { RequestTrace } from '../http/request-log.ts'
import { createMemory } from '../memory.ts'
import {
  createSlidingWindow,
  limiterIn,
  type RateLimiter,
  type SlidingWindow,
  storedKey,
} from './rate-limiter.ts'

const minuteMs = 60_000

/**
 * How many licenses an address may ask for in a minute that the service doesn't know. An office with a few mistyped keys
 * stays below.
 */
const mostUnknown = 20

/** Requests a minute for one license and from one address, or four for each seat of a license if that is more. */
const defaults = { license: 120, address: 600 } as const
const perSeat = 4

/** How long a request waits for others of its address before it looks again, in milliseconds. */
const pollMs = 50

/** Most license keys to remember. */
const maxKept = 10_000

/** Applies the rate limits of a gateway. Each returns the refusal, or `null` if the request is allowed. */
export interface RequestLimits {
  ofAddress(request: Request, trace: RequestTrace): Promise<Reply | null>
  ofLicense(trace: RequestTrace): Promise<Reply | null>
  /** Runs an operation, unless the address has asked for too many licenses that the service doesn't know. */
  unlessGuessing(request: Request, trace: RequestTrace, run: () => Promise<Reply>): Promise<Reply>
}

export function createRequestLimits(
  limits: GatewayLimits,
  clock: () => number,
  clientAddress: (request: Request) => string | undefined,
): RequestLimits {
  const createWindow = (): SlidingWindow => createSlidingWindow({ windowMs: minuteMs, clock })

  /** A limit of the vendor, or one that grows with the seats of a license. */
  function createLimit(name: keyof typeof defaults, fixed: RateLimiter | false | undefined) {
    const limiters = new Map<number, RateLimiter>()
    const grown = createMemory<number>(maxKept)
    // A limit that grows keeps its counts.
    const window = createWindow()
    const maxOf = (key: string): number => grown.get(key) ?? defaults[name]
    const limiterOf = (max: number): RateLimiter => {
      const limiter = limiters.get(max) ?? limits.counter?.(name, max) ?? limiterIn(window, max)
      limiters.set(max, limiter)
      return limiter
    }
    return {
      async take(key: string, trace: RequestTrace): Promise<Reply | null> {
        if (fixed === false) return null
        try {
          const answer = await (fixed ?? limiterOf(maxOf(key))).take(key)
          return answer.allowed ? null : tooManyRequests(answer.retryAfterMs)
        } catch {
          trace.isUncounted = true
          return null
        }
      },
      grow(key: string, max: number): void {
        if (max > maxOf(key)) grown.set(key, max)
      },
    }
  }
  const licenses = createLimit('license', limits.perLicense)
  const addresses = createLimit('address', limits.perAddress)
  const unknownLicenses = createWindow()
  // Every computer of an office may ask for the same mistyped key.
  const repeats = createWindow()
  const knownLicenses = createMemory<true>(maxKept)
  /** By address, how many requests are under way for licenses that may turn out to be unknown. */
  const underWay = new Map<string, number>()
  const changeUnderWay = (address: string, by: 1 | -1): void => {
    const count = (underWay.get(address) ?? 0) + by
    if (count === 0) underWay.delete(address)
    else underWay.set(address, count)
  }

  const addressOf = (request: Request): string | null => {
    const address = limits.perAddress === false ? undefined : clientAddress(request)
    return address === undefined ? null : addressKey(address)
  }

  /** Both spellings of a UUID count as one license. */
  const licenseOf = ({ licenseId }: RequestTrace): string => licenseId.toLowerCase()

  return {
    async ofAddress(request, trace) {
      const address = addressOf(request)
      return address === null ? null : addresses.take(address, trace)
    },

    async ofLicense(trace) {
      const refusal = await licenses.take(licenseOf(trace), trace)
      // All computers of a rollout that are refused now would come back at the same moment.
      const { retryAfterMs = 0 } = refusal ?? {}
      return refusal && tooManyRequests(retryAfterMs + Math.random() * minuteMs)
    },

    async unlessGuessing(request, trace, run) {
      const address = addressOf(request)
      const license = await storedKey(licenseOf(trace))
      // A stranger behind the same address doesn't stop a customer.
      while (address !== null && !knownLicenses.has(license)) {
        const left = mostUnknown - unknownLicenses.used(address)
        if (left < 1) return tooManyRequests(unknownLicenses.remainingMs())
        if ((underWay.get(address) ?? 0) + 1 <= left) break
        // A timer, because Workers don't let a request wait for another one.
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      }
      const guessing = knownLicenses.has(license) ? null : address
      if (guessing !== null) changeUnderWay(guessing, 1)
      try {
        const reply = await run()
        const perMinute = perSeat * (reply.seatLimit ?? 0)
        licenses.grow(licenseOf(trace), perMinute)
        if (address === null) return reply
        // The computers of a company often share one address.
        addresses.grow(address, perMinute)
        const knowledge = knowledgeOf(reply, trace)
        if (knowledge === 'known') knownLicenses.set(license, true)
        const isNew =
          knowledge === 'unknown' && repeats.take(await storedKey(`${address} ${license}`), 1).allowed
        if (isNew) unknownLicenses.count(address)
        return reply
      } finally {
        if (guessing !== null) changeUnderWay(guessing, -1)
      }
    },
  }
}

/**
 * Whether the service knows the license. It may list no devices of a license that it doesn't know, and the vendor's rule
 * needs one that it knows.
 */
function knowledgeOf(
  { status, code, remark, upstreamStatus }: Reply,
  { route }: RequestTrace,
): 'known' | 'unknown' | 'unclear' {
  if (remark === 'not-allowed' || remark === 'not-allowed-seat-kept') return 'known'
  if (status === 200) return isAboutLists(route) ? 'unclear' : 'known'
  const isUnknown =
    code === 'not-found' || code === 'gone' || upstreamStatus === 404 || upstreamStatus === 410
  return isUnknown ? 'unknown' : 'unclear'
}

/** Routes that may succeed with an empty list. */
function isAboutLists(route: RequestTrace['route']): boolean {
  return route === 'keys' || route === 'offline' || route === 'devices'
}

function tooManyRequests(retryAfterMs: number): Reply {
  return { ...refused(429, 'too-many-requests'), retryAfterMs }
}

/**
 * Returns the rate-limit key of a client address: the whole IPv4 address, or the first 64 bits of an IPv6 address,
 * because a single connection usually gets a whole /64. Some proxies, such as Azure's, append a port.
 */
function addressKey(address: string): string {
  const withoutPort = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  const bare = withoutPort.replace(/%.*$/, '')
  if (distinctRemoteAddr(bare) !== 'IPv6') return bare
  try {
    const bits = convertIPv6ToBinary(bare)
    return isIPv4MappedIPv6(bits)
      ? convertIPv4BinaryToString(convertIPv4MappedIPv6ToIPv4(bits))
      : `${convertIPv6BinaryToString((bits >> 64n) << 64n)}/64`
  } catch {
    // Whatever the proxy put there.
    return bare
  }
}
