import type { Answer } from '../service/answer.ts'
import type { Face, FaceName, FaceRequest } from './face.ts'

/** The rate limit for one address. */
interface RateLimit {
  /** The paths it applies to. */
  readonly paths: RegExp
  /** Maximum number of requests within a second. */
  readonly perSecond: number
  /** How long an address above the limit is refused, in seconds. */
  readonly blockSeconds: number
}

/** https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/rate_limit.py */
const limits: Partial<Record<FaceName, RateLimit>> = {
  // A server that has the organization's token asks other routes, with a limit of 500 a minute.
  polar: { paths: /^\/v1\/customer-portal\//u, perSecond: 3, blockSeconds: 60 },
}

/** Wraps a face so that it refuses requests above the service's rate limit, if that is known. */
export function limitFace(face: Face, nowMs: () => number): Face {
  const limit = limits[face.name]
  if (limit === undefined) return face
  const refuse = createRateLimiter(limit, nowMs)
  const isLimited = ({ url }: FaceRequest): boolean => limit.paths.test(url.pathname)
  return {
    ...face,
    answer: (state, request) => (isLimited(request) ? refuse() : null) ?? face.answer(state, request),
  }
}

/** Counts requests, and returns the refusal if there were too many. */
function createRateLimiter({ perSecond, blockSeconds }: RateLimit, nowMs: () => number): () => Answer | null {
  let times: number[] = []
  let blockedUntilMs = 0
  return () => {
    const at = nowMs()
    times = [...times.filter((time) => time > at - 1000), at]
    if (at >= blockedUntilMs && times.length <= perSecond) return null
    if (at >= blockedUntilMs) blockedUntilMs = at + blockSeconds * 1000
    const seconds = Math.ceil((blockedUntilMs - at) / 1000)
    return {
      status: 429,
      contentType: 'text/plain',
      body: undefined,
      headers: { 'retry-after': String(seconds) },
    }
  }
}
