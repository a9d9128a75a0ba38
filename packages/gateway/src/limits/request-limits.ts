import type { GatewayLimits } from '../gateway-options.ts'
import { type Reply, refused } from '../http/reply.ts'
import type { RequestTrace } from '../http/request-log.ts'
import { makeRoom } from '../make-room.ts'
import {
  createInProcessRateLimiter,
  type RateLimitAnswer,
  type RateLimiter,
  storedKey,
} from './rate-limiter.ts'

const minuteMs = 60_000

/** How many licenses an address may ask for in a minute that the service doesn't know. An office with a few mistyped keys stays below. */
const mostUnknown = 20

/** Requests a minute for one license, or four for each of its seats if that is more. */
const defaultPerLicense = 120
const perSeat = 4
/** So many shares are enough for 30,000 seats. */
const mostShares = 1_000

/** Most license keys and addresses to remember, so that made-up ones can't use up the memory. */
const maxKept = 10_000

/** Applies the rate limits of a gateway. */
export interface RequestLimits {
  /** @returns the refusal, or `null` if the request is allowed. */
  refusal(request: Request, trace: RequestTrace): Promise<Reply | null>
  /** Counts only the address, for a request whose license isn't known yet. */
  refusalOfAddress(request: Request, trace: RequestTrace): Promise<Reply | null>
  /** Counts only the license. */
  refusalOfLicense(trace: RequestTrace): Promise<Reply | null>
  /** Runs an operation, unless the address has asked for too many licenses that the service doesn't know. */
  unlessGuessing(request: Request, trace: RequestTrace, run: () => Promise<Reply>): Promise<Reply>
}

export function createRequestLimits(
  limits: GatewayLimits,
  clock: () => number,
  clientAddress: (request: Request) => string | undefined,
): RequestLimits {
  const inProcess = (max: number): RateLimiter =>
    createInProcessRateLimiter({ max, windowMs: minuteMs, clock })
  const counter = limits.counter ?? ((_name, perMinute) => inProcess(perMinute))
  const perAddress = limits.perAddress ?? counter('address', 600)
  const perLicense = limits.perLicense ?? counter('license', defaultPerLicense)
  /** How many times the default limit a license with many seats may use. */
  const sharesOf = new Map<string, number>()
  // The last one counted is the first one too many.
  const unknownLicenses = inProcess(mostUnknown - 1)
  // Every computer of an office may ask for the same mistyped key.
  const repeats = inProcess(1)
  const guessersUntilMs = new Map<string, number>()
  const knownLicenses = new Set<string>()

  const addressOf = (request: Request): string | null => {
    const address = perAddress === false ? undefined : clientAddress(request)
    return address === undefined ? null : addressKey(address)
  }
  const refusalOfAddress: RequestLimits['refusalOfAddress'] = async (request, trace) => {
    const address = addressOf(request)
    return denial(address === null ? null : await take(perAddress, address, trace))
  }
  const refusalOfLicense: RequestLimits['refusalOfLicense'] = async (trace) => {
    // Lowercased, so that both spellings of a UUID count as one license.
    const license = trace.licenseId.toLowerCase()
    const count = sharesOf.get(await storedKey(license)) ?? 1
    const first = Math.floor(Math.random() * count)
    let refusal: Reply | null = null
    for (let index = 0; index < count; index += 1) {
      const share = (first + index) % count
      refusal = denial(await take(perLicense, share === 0 ? license : `${license} ${share}`, trace))
      if (refusal === null) return null
    }
    // All computers of a rollout that are refused now would come back at the same moment.
    const { retryAfterMs = 0 } = refusal ?? {}
    return refusal && { ...refusal, retryAfterMs: retryAfterMs + Math.random() * minuteMs }
  }

  async function noteSeats(license: string, { seatLimit }: Reply): Promise<void> {
    if (limits.perLicense !== undefined || seatLimit == null) return
    const key = await storedKey(license.toLowerCase())
    makeRoom(sharesOf, maxKept)
    sharesOf.set(key, Math.min(Math.ceil((perSeat * seatLimit) / defaultPerLicense), mostShares))
  }

  return {
    refusalOfAddress,
    refusalOfLicense,
    async refusal(request, trace) {
      // At once, because a store may be slow.
      const [ofAddress, ofLicense] = await Promise.all([
        refusalOfAddress(request, trace),
        refusalOfLicense(trace),
      ])
      return ofAddress ?? ofLicense
    },

    async unlessGuessing(request, trace, serve) {
      const address = addressOf(request)
      const run = async (): Promise<Reply> => {
        const reply = await serve()
        await noteSeats(trace.licenseId, reply)
        return reply
      }
      if (address === null) return run()
      const license = await storedKey(trace.licenseId)
      const waitMs = (guessersUntilMs.get(address) ?? 0) - clock()
      // A stranger behind the same address doesn't stop a customer.
      if (waitMs > 0 && !knownLicenses.has(license)) return tooManyRequests(waitMs)
      const reply = await run()
      const knowledge = knowledgeOf(reply, trace)
      if (knowledge === 'known') {
        makeRoom(knownLicenses, maxKept)
        knownLicenses.add(license)
      }
      if (knowledge === 'unknown' && (await repeats.take(`${address} ${license}`)).allowed) {
        const counted = await unknownLicenses.take(address)
        if (!counted.allowed) {
          makeRoom(guessersUntilMs, maxKept)
          guessersUntilMs.set(address, clock() + counted.retryAfterMs)
        }
      }
      return reply
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
  if (status === 200) return route === 'keys' || route === 'offline' ? 'unclear' : 'known'
  const isUnknown =
    code === 'not-found' || code === 'gone' || upstreamStatus === 404 || upstreamStatus === 410
  return isUnknown ? 'unknown' : 'unclear'
}

async function take(
  limiter: RateLimiter | false,
  key: string,
  trace: RequestTrace,
): Promise<RateLimitAnswer | null> {
  if (limiter === false) return null
  try {
    return await limiter.take(key)
  } catch {
    trace.isUncounted = true
    return null
  }
}

function denial(answer: RateLimitAnswer | null): Reply | null {
  return answer === null || answer.allowed ? null : tooManyRequests(answer.retryAfterMs)
}

function tooManyRequests(retryAfterMs: number): Reply {
  return { ...refused(429, 'too-many-requests'), retryAfterMs }
}

/**
 * Returns the rate-limit key of a client address: the whole IPv4 address, or the first 64 bits of an IPv6 address,
 * because a single connection usually gets a whole /64.
 */
export function addressKey(address: string): string {
  const bare = withoutPort(address).replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.toLowerCase().split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailGroups.length)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...tailGroups]
  return mappedAddress(all) ?? networkOf(all)
}

/** Returns an IPv4 address that is written as an IPv6 address in hexadecimal digits, as some proxies do. */
function mappedAddress(groups: readonly string[]): string | null {
  const [low, high, ...others] = groups.map((group) => Number.parseInt(group, 16)).reverse()
  const isMapped = others.length === 6 && others.every((group, index) => group === (index === 0 ? 0xffff : 0))
  if (!isMapped || high === undefined || low === undefined) return null
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function networkOf(groups: readonly string[]): string {
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** Removes the port, which some proxies (such as Azure's) append and which differs for each connection. */
function withoutPort(address: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
}
