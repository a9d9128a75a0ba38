import {
  type AnswerMeta,
  type CommerceClient,
  type CommerceError,
  createCommerceClient,
  isCommerceError,
} from '@latchkey/commerce'
import { createNodeClient } from '@latchkey/commerce/node'
import type { CommandContext } from '../command-context.ts'
import { tryAgain } from '../services/outcome-error.ts'
import { unknownFields } from './drift.ts'
import { countOf } from './examine-gateway.ts'
import { examineNotFound, examineNotFoundAtGateway } from './examine-not-found.ts'
import { explainFailure, explainMissingList, explainRefusal, withProxyHint } from './explain-failure.ts'
import { explainLicense, explainUnusable } from './explain-license.ts'
import { explainRefusalPage, watchAnswers } from './explain-proxy.ts'
import type { Finding } from './finding.ts'

const latencySamples = 3
const tolerableSkewMs = 60_000

/** Checks address, token, clock, latency and the shape of the answers. Changes nothing on the service. */
export async function examine(
  context: CommandContext,
  licenseId: string | null,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [examineBaseUrl(context.baseUrl)]
  const seen: { answer: AnswerMeta; arrivedAtMs: number }[] = []
  let copy: Response | null = null
  // Like the other commands. The global `fetch` hides a status 407.
  const { fetch } = createNodeClient()
  const commerce = createCommerceClient({
    baseUrl: context.baseUrl,
    accessToken: context.accessToken,
    timeout: context.timeoutMs,
    ids: context.ids,
    fetch: async (request, init) => {
      const response = await fetch(request, init)
      // Read this copy only after the client has read its own within the size limit.
      copy = response.clone()
      return response
    },
  })
  const whose = context.ids === 'any' ? 'gateway' : 'service'
  const watch = watchAnswers({ baseUrl: context.baseUrl, whose })
  const onAnswer = (answer: AnswerMeta): void => {
    watch.onAnswer(answer)
    seen.push({ answer, arrivedAtMs: Date.now() })
  }
  const call = { signal: context.terminal.signal, onAnswer }

  try {
    for (let sample = 0; sample < latencySamples; sample += 1) {
      const known = await probe(commerce, licenseId, call)
      if (sample > 0) continue
      findings.push(...examineShape(await textOf(copy), known))
      // A gateway's list is one of the requests that are sent to it later.
      const isListed = licenseId !== null && context.ids === 'uuid'
      if (isListed) findings.push(examineList(known.data, known.unreadableCount))
    }
    findings.push({ check: 'access token', verdict: 'good', detail: tokenDetail(context) })
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    const proxied = watch.explain(error)
    const failures =
      proxied !== null
        ? [proxied]
        : error.code === 'not-found' && context.ids === 'any' && licenseId !== null
          ? [await examineNotFoundAtGateway(error, commerce, licenseId, call.signal)].filter(
              (finding) => finding !== null,
            )
          : examineFailure(error, context, licenseId, seen.length > 0)
    const isAddressWrong = failures.some(({ check }) => check === 'base URL')
    // The failure replaces what the form of a gateway's address suggests, and of a service's address that looks right. A
    // note about the form stays: it may name the cause.
    const isReplaced = isAddressWrong && (context.ids === 'any' || findings[0]?.verdict === 'good')
    findings.splice(0, isReplaced ? 1 : 0)
    findings.push(...failures)
  }

  const [first] = seen
  if (first !== undefined) {
    findings.push({
      check: 'reachable',
      verdict: 'good',
      detail: `answers with status ${first.answer.status}`,
    })
    findings.push(examineClock(first.answer.serverDateMs, first.arrivedAtMs, whose))
    findings.push(examineLatency(seen.map(({ answer }) => answer.durationMs)))
  }
  return findings
}

async function textOf(response: Response | null): Promise<string> {
  return response === null ? '{}' : await response.text()
}

/** The doctor's only request: a list that a token can read, or the keys of a license if there is a gateway. */
function probe(
  commerce: CommerceClient,
  licenseId: string | null,
  call: { readonly signal: AbortSignal; readonly onAnswer: (answer: AnswerMeta) => void },
): Promise<{ readonly data: readonly unknown[]; readonly unreadableCount?: number }> {
  return licenseId === null
    ? commerce.customers.list(call)
    : commerce.licenses.keyList(licenseId, call).then(({ keys, ...list }) => ({ ...list, data: keys }))
}

function examineBaseUrl(baseUrl: string): Finding {
  const url = new URL(baseUrl)
  if (!/\/v1\/?$/u.test(url.pathname)) {
    return {
      check: 'base URL',
      verdict: 'note',
      detail: `${url.href} does not end with the version segment v1, which is only right for a gateway with another LATCHKEY_BASE_PATH`,
    }
  }
  return { check: 'base URL', verdict: 'good', detail: url.href }
}

function tokenDetail({ accessToken }: CommandContext): string {
  return accessToken === undefined ? 'none set, and none was asked for' : 'accepted'
}

function examineList(keys: readonly unknown[], unreadableCount = 0): Finding {
  if (unreadableCount === 0) return { check: 'list keys', verdict: 'good', detail: countOf(keys) }
  const detail = `${countOf(keys)}, and ${unreadableCount} without an id that can be read`
  return { check: 'list keys', verdict: 'bad', detail }
}

function examineShape(raw: string, known: unknown): readonly Finding[] {
  const unknown = unknownFields(JSON.parse(raw), known).filter(
    (field) => field !== 'links' && field !== 'meta',
  )
  return unknown.length === 0
    ? [{ check: 'schema', verdict: 'good', detail: 'as the interface says' }]
    : [
        {
          check: 'schema',
          verdict: 'note',
          detail: `fields the interface does not name: ${unknown.join(', ')}`,
        },
      ]
}

function examineFailure(
  error: CommerceError,
  { accessToken, baseUrl, ids, timeoutMs, terminal }: CommandContext,
  licenseId: string | null,
  hasAnswered: boolean,
): readonly Finding[] {
  const detail = error.message
  const missingList = explainMissingList(error) ?? explainUnusable(error)
  if (missingList !== null) {
    // A gateway's list is requested again with its other routes.
    return ids === 'any' ? [] : [{ check: 'list keys', verdict: 'note', detail: missingList }]
  }
  switch (error.code) {
    case 'unauthorized': {
      const page = explainRefusalPage(error)
      if (page !== null) return [{ check: 'proxy', verdict: 'bad', detail: page }]
      if (licenseId !== null && error.status === 403) {
        return [{ check: 'list keys', verdict: 'bad', detail: forbiddenList }]
      }
      return [
        {
          check: 'access token',
          verdict: 'bad',
          detail: accessToken === undefined ? missingToken(ids === 'any') : detail,
        },
      ]
    }
    case 'unexpected-answer':
      return [{ check: 'schema', verdict: 'bad', detail }]
    case 'not-found':
      return [examineNotFound(error, licenseId)]
    default: {
      const license = explainLicense(error)
      if (license !== null) return [{ check: 'license', ...license }]
      const refusal = explainRefusal(error)
      const trouble = refusal ?? explainTrouble(error)
      if (trouble !== null) return [{ check: 'service', verdict: 'bad', detail: trouble }]
      return [
        hasAnswered
          ? { check: 'schema', verdict: 'bad', detail }
          : {
              check: 'reachable',
              verdict: 'bad',
              detail: withProxyHint(explainFailure(error, timeoutMs) ?? detail, baseUrl, terminal.env),
            },
      ]
    }
  }
}

const forbiddenList =
  'the service forbids this request (status 403): the access token may be wrong or not allow it, or the license may be suspended or have ended. Without --license, the doctor checks the token alone'

/** Explains an answer that says that the service can't answer now; `null` for other errors. */
function explainTrouble({ code, status, retryAfterMs }: CommerceError): string | null {
  if (code !== 'unreachable' || status === null) return null
  return status === 429
    ? `the service limits the requests (status 429). ${tryAgain(retryAfterMs)}`
    : `the service, or a proxy in front of it, has a problem (status ${status}): try again later`
}

function missingToken(isGateway: boolean): string {
  return isGateway
    ? 'asked for at this address, and a gateway needs none: check that it is the address of your gateway, not of the service'
    : 'none set: set LATCHKEY_ACCESS_TOKEN_FILE or LATCHKEY_ACCESS_TOKEN'
}

/** Compares this machine's clock with that of the service or of its gateway. Either may be wrong. */
export function examineClock(
  serverDateMs: number | null,
  arrivedAtMs: number,
  whose: 'service' | 'gateway',
): Finding {
  if (serverDateMs === null)
    return { check: 'clock', verdict: 'note', detail: 'the answer has no Date header' }
  // The header has a resolution of one second.
  const skewMs = Math.round((arrivedAtMs - serverDateMs) / 1000) * 1000
  const isFine = Math.abs(skewMs) <= tolerableSkewMs
  return {
    check: 'clock',
    verdict: isFine ? 'good' : 'bad',
    detail: `this machine is ${Math.abs(skewMs) / 1000} s ${skewMs < 0 ? 'behind' : 'ahead of'} the ${whose}${isFine ? '' : ': compare both with the right time, and set the clock that is wrong'}`,
  }
}

/** Judges how long the requests took. */
export function examineLatency(durationsMs: readonly number[]): Finding {
  const sorted = [...durationsMs].sort((one, other) => one - other)
  const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0
  return {
    check: 'latency',
    verdict: medianMs < 2000 ? 'good' : 'note',
    detail: `${Math.round(medianMs)} ms, median of ${sorted.length}`,
  }
}
