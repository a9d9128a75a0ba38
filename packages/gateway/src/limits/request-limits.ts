import type { GatewayLimits } from '../gateway-options.ts'
import { type Reply, refused } from '../http/reply.ts'
import type { RequestTrace } from '../http/request-log.ts'
import { addressKey } from './address-key.ts'
import { createInProcessRateLimiter } from './in-process-rate-limiter.ts'
import type { RateLimitAnswer, RateLimiter } from './rate-limiter.ts'
import { createUnknownLicenseLimit, type LicenseKnowledge } from './unknown-license-limit.ts'

const minuteMs = 60_000

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
  const perMinute = (max: number): RateLimiter =>
    createInProcessRateLimiter({ max, windowMs: minuteMs, clock })
  const perAddress = limits.perAddress ?? perMinute(600)
  const perLicense = limits.perLicense ?? perMinute(120)

  const unknownLicenses = createUnknownLicenseLimit(clock)

  const refusalOfAddress: RequestLimits['refusalOfAddress'] = async (request, trace) => {
    const address = perAddress === false ? undefined : clientAddress(request)
    return denial(address === undefined ? null : await take(perAddress, addressKey(address), trace))
  }
  // Lowercased, so that both spellings of a UUID count as one license.
  const refusalOfLicense: RequestLimits['refusalOfLicense'] = async (trace) =>
    denial(await take(perLicense, trace.licenseId.toLowerCase(), trace))

  return {
    refusalOfAddress,
    refusalOfLicense,
    // An address over its limit must not use up a license's allowance.
    refusal: async (request, trace) =>
      (await refusalOfAddress(request, trace)) ?? (await refusalOfLicense(trace)),
    async unlessGuessing(request, trace, run) {
      const address = perAddress === false ? undefined : clientAddress(request)
      if (address === undefined) return run()
      const entry = await unknownLicenses.enter(addressKey(address), trace.licenseId)
      if (typeof entry === 'number') return tooManyRequests(entry)
      let knowledge: LicenseKnowledge = 'unclear'
      try {
        const reply = await run()
        knowledge = knowledgeOf(reply, trace)
        return reply
      } finally {
        entry(knowledge)
      }
    },
  }
}

/** A service may list no devices of a license that it doesn't know, and the vendor's rule needs one that it knows. */
function knowledgeOf(
  { status, code, remark, upstreamStatus }: Reply,
  { route }: RequestTrace,
): LicenseKnowledge {
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
