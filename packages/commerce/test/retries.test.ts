import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHttpClient, type HttpRequest, type RetryPolicy } from '../src/http.ts'
import { createCommerceClient, type ListOptions } from '../src/index.ts'
import { errorOf, json, type Service, startService } from './service.ts'

const url = 'https://licensing.example/v1'

/** Sends a request that always gets the same answer, and returns when it was sent, in milliseconds since the start. */
async function sendTo(
  answer: () => Promise<Response>,
  { method = 'GET', ...retry }: Partial<RetryPolicy> & { readonly method?: HttpRequest['method'] } = {},
): Promise<{ readonly sentMs: readonly number[]; readonly outcome: unknown }> {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  await import('ky')
  const startMs = Date.now()
  const sentMs: number[] = []
  const fetch = (): Promise<Response> => {
    sentMs.push(Date.now() - startMs)
    return answer()
  }
  const policy = retry.limit === undefined ? undefined : { limit: retry.limit, maxWaitMs: 120_000, ...retry }
  const sent = createHttpClient()({ method, url }, { fetch, retry: policy, timeoutMs: 1_000 })
  await vi.runAllTimersAsync()
  return { sentMs, outcome: await sent }
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  async (): Promise<Response> =>
    new Response('{}', { status: code, headers })
const lost = async (): Promise<Response> => Promise.reject(new Error('net::ERR_CONNECTION_RESET'))
const broken = async (): Promise<Response> =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) }))
const silence = (): Promise<Response> => new Promise(() => {})

describe('a GET request', () => {
  it.each([
    ['a lost connection', lost],
    ['a body that breaks off', broken],
    ['408', status(408)],
    ['500', status(500)],
    ['503', status(503)],
    ['429 with a short wait', status(429, { 'retry-after': '1' })],
    ['413 with a short wait', status(413, { 'retry-after': '1' })],
  ])('is sent once more after %s', async (_what, answer) => {
    expect((await sendTo(answer)).sentMs).toHaveLength(2)
  })

  it.each([
    ['a success', status(200)],
    ['a refusal', status(404)],
    ['a redirect', status(302)],
    ['a timeout', silence],
    ['413', status(413)],
    // A service that limits requests, such as Polar, blocks whoever goes on.
    ['429 that doesn’t say for how long', status(429)],
    ['429 with a long wait', status(429, { 'retry-after': '60' })],
    ['503 with a long wait', status(503, { 'retry-after': '3' })],
  ])('is not sent again after %s', async (_what, answer) => {
    expect((await sendTo(answer)).sentMs).toEqual([0])
  })

  it('that is not sent again reports how long the service asks to wait', async () => {
    const { outcome } = await sendTo(status(429, { 'retry-after': '60' }))
    expect(outcome).toMatchObject({ kind: 'reply', status: 429, retryAfterMs: 60_000 })
  })

  it('waits about twice as long each time', async () => {
    const { sentMs } = await sendTo(status(503), { limit: 3 })
    const waitsMs = sentMs.slice(1).map((ms, index) => ms - (sentMs[index] ?? 0))
    expect(waitsMs).toHaveLength(3)
    for (const [index, ms] of waitsMs.entries()) {
      expect(ms).toBeGreaterThanOrEqual(150 * 2 ** index)
      expect(ms).toBeLessThanOrEqual(300 * 2 ** index)
    }
  })

  it('waits as long as the service asks, by the service’s own clock', async () => {
    const onRetry = vi.fn()
    const date = 'Sun, 06 Nov 2033 08:49:37 GMT'
    const later = 'Sun, 06 Nov 2033 08:51:07 GMT'
    const { sentMs } = await sendTo(status(503, { date, 'retry-after': later }), { limit: 1, onRetry })
    expect(sentMs).toEqual([0, 90_000])
    expect(onRetry.mock.calls).toEqual([[expect.objectContaining({ status: 503 }), 90_000]])
  })

  it('is repeated after a timeout, or without a stated wait, if its caller is patient', async () => {
    expect((await sendTo(silence, { limit: 2, afterTimeout: true })).sentMs).toHaveLength(3)
    expect((await sendTo(status(429), { limit: 2 })).sentMs).toHaveLength(3)
  })
})

it.each(['POST', 'DELETE'] as const)('%s is never repeated', async (method) => {
  for (const answer of [lost, status(503, { 'retry-after': '0' }), status(429), silence]) {
    expect((await sendTo(answer, { method, limit: 3, afterTimeout: true })).sentMs).toEqual([0])
  }
})

describe('a list', () => {
  /** Reads a list of a service that asks to wait. */
  async function failing(waitSeconds: number, options: ListOptions, isWalk = false) {
    const service: Service = await startService(json({}, 503, { 'retry-after': String(waitSeconds) }))
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    const error = await errorOf(isWalk ? customers.all(options).next() : customers.list(options))
    return { error, requests: service.requests.length }
  }

  it('is only read again on request, and as often as requested', async () => {
    expect((await failing(0, {})).requests).toBe(1)
    const { error, requests } = await failing(0, { retry: 2 }, true)
    expect(error).toMatchObject({ code: 'unreachable', status: 503 })
    expect(requests).toBe(3)
  })

  it.each([
    ['while it waits', 'onRetry', false],
    ['while it waits in a walk', 'onRetry', true],
    ['at the failed answer', 'onAnswer', false],
  ])('stops waiting when it is canceled %s', async (_when, listener, isWalk) => {
    const cancel = new AbortController()
    const abort = (): void => {
      if (listener === 'onAnswer') cancel.abort()
      else setImmediate(() => cancel.abort())
    }
    const { error, requests } = await failing(
      60,
      { retry: 5, signal: cancel.signal, [listener]: abort },
      isWalk,
    )
    expect(error).toMatchObject({ code: 'cancelled', operation: 'customers.list' })
    expect(requests).toBe(1)
  })
})
