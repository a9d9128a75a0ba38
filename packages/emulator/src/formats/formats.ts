import { type Answer, noContent } from '../answer.ts'
import { commerceFormat } from './commerce.ts'
import { dodoFormat } from './dodo.ts'
import type { Format, FormatName } from './format.ts'
import { keygenFormat } from './keygen.ts'
import { lemonSqueezyFormat } from './lemon-squeezy.ts'
import { polarFormat } from './polar.ts'

/** Every wire format, by name. */
export const formats: Readonly<Record<FormatName, Format>> = {
  commerce: commerceFormat,
  dodo: dodoFormat,
  keygen: keygenFormat,
  'lemon-squeezy': lemonSqueezyFormat,
  polar: polarFormat,
}

/** The rate limit for one address. */
interface RateLimit {
  /** The paths it applies to. */
  readonly paths: RegExp
  /** How many requests are answered within `withinMs`. */
  readonly requests: number
  readonly withinMs: number
  /** How long an address above the limit is refused, in milliseconds; by default until the oldest request is that old. */
  readonly blockedMs?: number
}

/** Limits that are documented. */
const rateLimits: Partial<Record<FormatName, RateLimit>> = {
  // https://docs.lemonsqueezy.com/api/license-api: without the limit of the API that needs a vendor's key.
  'lemon-squeezy': { paths: /^\/v1\/licenses\//u, requests: 60, withinMs: 60_000 },
  // https://github.com/polarsource/polar/blob/c6c3645e639ee8eeaa05aa0835cf8e39e330382f/server/polar/rate_limit.py
  // A server that has the organization's token asks other routes, with a limit of 500 a minute.
  polar: { paths: /^\/v1\/customer-portal\//u, requests: 3, withinMs: 1000, blockedMs: 60_000 },
}

/** Wraps a format so that it refuses requests above the service's rate limit, if that is known. */
export function withRateLimit(format: Format, nowMs: () => number): Format {
  const limit = rateLimits[format.name]
  if (limit === undefined) return format
  const { paths, requests, withinMs, blockedMs } = limit
  let answered: number[] = []
  let blockedUntilMs = 0
  const refuse = (): Answer | null => {
    const at = nowMs()
    answered = answered.filter((time) => time > at - withinMs)
    if (at >= blockedUntilMs && answered.length < requests) {
      answered.push(at)
      return null
    }
    if (at >= blockedUntilMs) {
      blockedUntilMs = blockedMs === undefined ? (answered[0] ?? at) + withinMs : at + blockedMs
    }
    return noContent(429, { 'retry-after': String(Math.ceil((blockedUntilMs - at) / 1000)) })
  }
  return {
    ...format,
    answer: (state, request) =>
      (paths.test(request.url.pathname) ? refuse() : null) ?? format.answer(state, request),
  }
}
