import type { Unavailable } from '@latchkey/services'
import { exitCodes } from '../command-error.ts'
import type { Connection } from '../settings.ts'
import type { Explanation } from './failure.ts'

/** Whether an HTML page came in place of JSON, as from a proxy. */
export function isPage({ bodyIsJson, httpStatus }: Unavailable, { lastResponse }: Connection): boolean {
  const last = lastResponse()
  if (bodyIsJson !== false || last?.status !== httpStatus) return false
  return /^text\/html\b/iu.test(last.headers.get('content-type') ?? '')
}

/** Explains an HTML page; `null` if it says only that nothing is at this address. */
export function pageOfProxy(status: number, { baseUrl, isGateway }: Connection): Explanation | null {
  const whose = isGateway ? 'gateway' : 'service'
  const page = `(status ${status}, an HTML page)`
  if (status === 404 || status === 410) return null
  if (status < 300) {
    return {
      text: `a website or a proxy answers in place of the ${whose} ${page}: check the address, and that a proxy forwards this path to the ${whose}`,
      exitCode: exitCodes.unexpected,
      check: 'proxy',
      asksDoctor: true,
    }
  }
  if (status >= 500) {
    return {
      text: `a reverse proxy answers in place of the ${whose} ${page}: check that the ${whose} runs, and its address in the proxy’s settings`,
      exitCode: exitCodes.unreachable,
      check: 'proxy',
    }
  }
  if (status === 400 && baseUrl.startsWith('http:')) {
    return {
      text: `a proxy answers in place of the ${whose} ${page}: the address begins with http://, so check whether this port needs https://`,
      exitCode: exitCodes.unexpected,
      check: 'base URL',
    }
  }
  return refusedByProxy(status, whose)
}

/** Explains a refusal without JSON. A proxy's rules may forbid some requests and let others through. */
export function refusedByProxy(status: number, whose: 'gateway' | 'service'): Explanation {
  const isDenied = status === 401 || status === 403
  const orToken = isDenied && whose === 'service' ? '. If there is no proxy, check the access token' : ''
  return {
    text: `a reverse proxy in front of the ${whose} may have refused the request (status ${status}, no JSON): change its rules, so that it lets GET, POST and DELETE through without a password${orToken}`,
    exitCode: isDenied ? exitCodes.unauthorized : exitCodes.unexpected,
    check: 'proxy',
  }
}

/** Explains a redirect. Apps follow none, because it would carry the license key to another address. */
export function redirect(status: number, { baseUrl, isGateway, lastResponse }: Connection): Explanation {
  const last = lastResponse()
  const location = last?.status === status ? last.headers.get('location') : null
  const target = location === null ? null : readTarget(location, baseUrl)
  const text =
    target === null
      ? `a proxy redirects the requests to the ${isGateway ? 'gateway' : 'service'} (status ${status})`
      : !target.isMoved
        ? `a proxy or a login page on the network redirects to ${target.shown} (status ${status})`
        : target.shown === baseUrl.replace(/\/+$/u, '')
          ? `a proxy redirects each request to another path of this address (status ${status}): check its settings`
          : `this address redirects to ${target.shown} (status ${status}): use that one. Apps follow no redirects`
  return { text, exitCode: exitCodes.unexpected, check: 'base URL' }
}

/**
 * Reads the target of a redirect. Its query, and the path of a request, contain the license key.
 *
 * @returns `isMoved` if the same request is sent elsewhere. Then `shown` is the address to use.
 */
function readTarget(location: string, baseUrl: string): { shown: string; isMoved: boolean } | null {
  if (!URL.canParse(location, baseUrl)) return null
  const { origin, pathname } = new URL(location, baseUrl)
  const [, base] = /^(.*)\/(?:licenses\/|customers\/?$|discounts\/?$)/u.exec(pathname) ?? []
  if (base !== undefined) return { shown: `${origin}${base}`, isMoved: true }
  const isPlain = pathname.split('/').every((segment) => /^(?:[a-z._-]{0,30}|v\d)$/iu.test(segment))
  return { shown: isPlain ? `${origin}${pathname}` : origin, isMoved: false }
}
