import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CommerceError } from '../../src/errors/commerce-error.ts'
import { withRetry } from '../../src/lists/retry.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Always fails, and notes the time of each attempt in milliseconds since the start. */
function failing(retryAfterMs?: number): {
  readonly triedMs: number[]
  readonly attempt: () => Promise<never>
} {
  const startMs = Date.now()
  const triedMs: number[] = []
  const attempt = async (): Promise<never> => {
    triedMs.push(Date.now() - startMs)
    throw new CommerceError('unreachable', {
      operation: 'customers.list',
      status: 503,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
  return { triedMs, attempt }
}

it('waits twice as long each time', async () => {
  const { triedMs, attempt } = failing()
  const ended = withRetry(attempt, 3, undefined).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  expect(await ended).toMatchObject({ code: 'unreachable' })
  expect(triedMs).toEqual([0, 300, 900, 2_100])
})

it('waits as long as the service asks, and not at all if that is too long', async () => {
  const asked = failing(90_000)
  const onRetry = vi.fn()
  const ended = withRetry(asked.attempt, 1, undefined, onRetry).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  await ended
  expect(asked.triedMs).toEqual([0, 90_000])
  expect(onRetry.mock.calls).toEqual([[expect.objectContaining({ status: 503 }), 90_000]])

  const patient = failing(86_400_000)
  const later = withRetry(patient.attempt, 1, undefined).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  await later
  expect(patient.triedMs).toEqual([0])
})

it('stops waiting when it is cancelled, without leaving a timer or listener', async () => {
  const controller = new AbortController()
  const { triedMs, attempt } = failing()
  const ended = withRetry(attempt, 3, controller.signal).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100)
  controller.abort()
  expect(await ended).toMatchObject({ code: 'cancelled', operation: 'customers.list' })
  expect(triedMs).toEqual([0])
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

it('leaves no listener after it has waited', async () => {
  const controller = new AbortController()
  const ended = withRetry(failing().attempt, 1, controller.signal).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  await ended
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})
