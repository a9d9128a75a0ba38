import type { AnswerMeta, CommerceError, Operation } from '@latchkey/commerce'
import type { Finding } from './finding.ts'

/** Whose answers a proxy may replace. */
export interface ProxiedAddress {
  readonly baseUrl: string
  readonly whose: 'gateway' | 'service'
}

/** Remembers the headers of the last answer, which an error doesn't have. */
export interface AnswerWatch {
  readonly onAnswer: (answer: AnswerMeta) => void
  /** Explains an answer of something in front of the address; `null` if nothing says that it is one. */
  explain(error: CommerceError): Finding | null
}

export function watchAnswers(address: ProxiedAddress): AnswerWatch {
  let last: AnswerMeta | null = null
  return {
    onAnswer: (answer) => {
      last = answer
    },
    explain({ operation, status }) {
      // Without an answer to its own request, an error has nothing to do with the last one.
      const isOwn = last !== null && last.operation === operation && last.status === status
      return last !== null && isOwn ? explainAnswer(last, address) : null
    },
  }
}

function explainAnswer({ status, headers }: AnswerMeta, address: ProxiedAddress): Finding | null {
  if (status >= 300 && status < 400) {
    return bad('base URL', explainRedirect(status, headers.get('location'), address))
  }
  // The gateway sends JSON or plain text. Other explanations of a 404 come first.
  const isPage = /^text\/html\b/iu.test(headers.get('content-type') ?? '')
  if (isPage && status < 300 && address.whose === 'gateway') return bad('proxy', website(status))
  if (!isPage || status < 400 || status === 404 || status === 410) return null
  const { baseUrl, whose } = address
  const page = `(status ${status}, an HTML page)`
  if (status >= 500) {
    const advice = `check that the ${whose} runs, and its address in the proxy’s settings`
    return bad('proxy', `a reverse proxy answers in place of the ${whose} ${page}: ${advice}`)
  }
  if (status === 400 && new URL(baseUrl).protocol === 'http:') {
    const advice = 'the address begins with http://, so check whether this port needs https://'
    return bad('base URL', `a proxy answers in place of the ${whose} ${page}: ${advice}`)
  }
  if (whose === 'service') return null
  const refuses = `a reverse proxy in front of the gateway refuses the request ${page}`
  return bad('proxy', `${refuses}: change its rules. Apps send GET, POST and DELETE, without a password`)
}

/** Operations that a proxy's rules may forbid, although they let the others through. */
const actingOperations: readonly (Operation | null)[] = [
  'licenses.activate',
  'licenses.validate',
  'licenses.deactivate',
]

/**
 * Explains a 407, or a refusal with a page in place of JSON: a proxy may have sent it, not the service. `null` for other
 * errors.
 */
export function explainRefusalPage(error: CommerceError): string | null {
  const { code, status, bodyIsJson, bodyIsEmpty, operation } = error
  if (status === 407) {
    return 'a proxy asks for a password (status 407): set one in the address of the proxy for outgoing requests, or change the rules of a reverse proxy'
  }
  if (bodyIsJson !== false || bodyIsEmpty || status === null) return null
  if (code === 'unauthorized') {
    return `${refusedByProxy(status)}. If nothing is in front of the service, check the access token`
  }
  const isActing = actingOperations.includes(operation)
  return isActing && (code === 'rejected' || code === 'not-found') ? refusedByProxy(status) : null
}

/** What may be wrong if a request that changes something is refused without JSON. */
export function refusedByProxy(status: number): string {
  return `a reverse proxy may have refused the request (status ${status}, no JSON): change its rules, so that it lets GET, POST and DELETE through without a password`
}

function website(status: number): string {
  return `a website or a proxy answers in place of the gateway (status ${status}, an HTML page): check the address, and that the proxy forwards this path to the gateway`
}

function bad(check: 'base URL' | 'proxy', detail: string): Finding {
  return { check, verdict: 'bad', detail }
}

function explainRedirect(
  status: number,
  location: string | null,
  { baseUrl, whose }: ProxiedAddress,
): string {
  const target = location === null ? null : readTarget(location, baseUrl)
  if (target === null) return `a proxy redirects the requests to the ${whose} (status ${status})`
  if (!target.isMoved) {
    return `a proxy or a login page on the network redirects to ${target.shown} (status ${status})`
  }
  return target.shown === baseUrl.replace(/\/+$/u, '')
    ? `a proxy redirects each request to another path of this address (status ${status}): check its settings`
    : `this address redirects to ${target.shown} (status ${status}): use that one. Apps follow no redirects`
}

/**
 * Reads the target of a redirect. Its query, and the path of a request, contain the license key.
 *
 * @returns `isMoved` if the same request is sent elsewhere. Then `shown` is the address to use.
 */
function readTarget(location: string, baseUrl: string): { shown: string; isMoved: boolean } | null {
  if (!URL.canParse(location, baseUrl)) return null
  const { origin, pathname } = new URL(location, baseUrl)
  const [, base] = /^(.*)\/(?:licenses\/|customers\/?$)/u.exec(pathname) ?? []
  if (base !== undefined) return { shown: `${origin}${base}`, isMoved: true }
  const isPlain = pathname.split('/').every((segment) => /^(?:[a-z._-]{0,30}|v\d)$/iu.test(segment))
  return { shown: isPlain ? `${origin}${pathname}` : origin, isMoved: false }
}
