import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dodo } from '../../src/dodo.ts'
import type { LicenseService, ServiceCall } from '../../src/index.ts'

const productId = 'pdt_0123456789'
const pageSize = 100

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Wire {
  readonly service: LicenseService
  readonly call: ServiceCall
  /** The license keys at the service, in its order. */
  readonly keys: string[]
  /** The requests so far, as paths. */
  readonly requests: string[]
  /** Answers in place of the service, for as long as it is set. */
  proxy: ((path: string) => Response | undefined) | undefined
  reason(licenseKey: string): Promise<string>
}

/** A service in the format of the vendor's API. */
function startWire(count: number, answerMs = 20): Wire {
  const keys = Array.from({ length: count }, (_, index) => `KEY-${index}-AAAA-BBBB`)
  const requests: string[] = []
  const licenseOf = (key: string) => ({ id: `lic_${key}`, key, status: 'active' })
  const isNew = (key: string): boolean => key.startsWith('NEW-')
  const answerTo = (path: string, query: URLSearchParams): object => {
    if (path === '/license_key_instances') return { items: [] }
    const id = /^\/license_keys\/lic_(.+)$/u.exec(path)?.[1]
    if (id !== undefined) return { ...licenseOf(id), product_id: productId }
    const newer = query.get('created_at_gte')
    if (newer !== null) expect(Date.parse(newer)).toBeLessThan(Date.now())
    const listed = newer === null ? keys : keys.filter(isNew)
    const from = Number(query.get('page_number')) * pageSize
    return { items: listed.slice(from, from + pageSize).map(licenseOf) }
  }
  const wire: Wire = {
    service: dodo({ productId, apiKey: 'the-vendors-secret' }),
    call: {
      async fetch({ url }) {
        const { pathname, searchParams } = new URL(url)
        requests.push(pathname)
        await new Promise((resolve) => setTimeout(resolve, answerMs))
        return wire.proxy?.(pathname) ?? Response.json(answerTo(pathname, searchParams))
      },
    },
    keys,
    requests,
    proxy: undefined,
    async reason(licenseKey) {
      const outcome = await finish(wire.service.listActivations?.({ licenseKey }, wire.call))
      if (outcome?.kind === 'refusal') return outcome.reason
      return outcome?.kind === 'unavailable' ? outcome.cause : 'listed'
    },
  }
  return wire
}

/** Lets time pass until a call has ended. How long its code takes to load isn't known. */
async function finish<Outcome>(call: Promise<Outcome> | undefined): Promise<Outcome | undefined> {
  let isDone = false
  void call?.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(10)
    // What isn't a timer may take its time, too.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return await call
}

const pages = (requests: readonly string[]): number =>
  requests.filter((path) => path === '/license_keys').length

it('reads its list once for many made-up license keys, and then only what is newer', async () => {
  const { requests, reason } = startWire(350)
  const together = Array.from({ length: 40 }, (_, index) => reason(`MADE-UP-${index}-AAAA`))
  expect(new Set(await Promise.all(together))).toEqual(new Set(['unknown-license']))
  for (let index = 0; index < 40; index += 1) await reason(`LATER-${index}-AAAA-BBBB`)
  expect(pages(requests)).toBe(5 + 79)
})

it('reads all of a long list at most every ten minutes', async () => {
  const { requests, reason } = startWire(5_000)
  for (let minute = 0; minute < 11; minute += 1) {
    expect(await reason(`MADE-UP-${minute}-AAAA`)).toBe('unknown-license')
    await vi.advanceTimersByTimeAsync(60_000)
  }
  // All 50 pages and the empty one behind them, twice.
  expect(pages(requests)).toBe(51 + 9 + 51)
})

it('reads a list that is too long for it once, and calls no license of it unknown', async () => {
  const { requests, reason } = startWire(20_100)
  for (const key of ['KEY-20050-AAAA-BBBB', 'MADE-UP-1-AAAA'])
    expect(await reason(key)).toBe('unexpected-answer')
  expect(pages(requests)).toBe(200 + 1)
})

it('finds a new license at once, without reading all of a long list', async () => {
  const { requests, reason, keys } = startWire(5_000)
  await reason('MADE-UP-0-AAAA-BBBB')
  keys.splice(2_000, 0, 'NEW-CUSTOMER-AAAA')
  const before = pages(requests)
  expect(await reason('NEW-CUSTOMER-AAAA')).toBe('listed')
  expect(pages(requests) - before).toBe(1)
})

it('asks for a license that it has seen by its ID', async () => {
  const { requests, reason, keys } = startWire(350)
  expect(await reason(keys[340] ?? '')).toBe('listed')
  expect(await reason(keys[10] ?? '')).toBe('listed')
  expect(pages(requests)).toBe(4)
  expect(requests).toContain(`/license_keys/lic_${keys[10]}`)
})

it('finds a new license key for a call that waits for the walk of another one', async () => {
  const { reason, keys } = startWire(350)
  const first = reason('MADE-UP-0-AAAA-BBBB')
  expect(await reason(keys[120] ?? '')).toBe('listed')
  expect(await first).toBe('unknown-license')
})

it('doesn’t call a license unknown that it has seen, if a proxy hides it for a moment', async () => {
  const wire = startWire(150)
  await wire.reason('MADE-UP-0-AAAA-BBBB')
  wire.proxy = (path) =>
    path.startsWith('/license_keys/') ? Response.json({ code: 'NOT_FOUND' }, { status: 404 }) : undefined
  expect(await wire.reason(wire.keys[3] ?? '')).toBe('not-found')
  wire.proxy = undefined
  expect(await wire.reason(wire.keys[3] ?? '')).toBe('listed')
})

it('tells a failure to those who waited for it, and asks again for the next one', async () => {
  const wire = startWire(150)
  wire.proxy = () => new Response('busy', { status: 503 })
  const both = [wire.reason('MADE-UP-0-AAAA-BBBB'), wire.reason(wire.keys[140] ?? '')]
  expect(await Promise.all(both)).toEqual(['server-error', 'server-error'])
  // One walk, whose request is repeated once.
  expect(pages(wire.requests)).toBe(2)
  wire.proxy = undefined
  expect(await wire.reason(wire.keys[140] ?? '')).toBe('listed')
})

it('doesn’t wait for the walk of a call that was canceled', async () => {
  const wire = startWire(150)
  const controller = new AbortController()
  const { signal } = controller
  const canceled = wire.service.listActivations?.({ licenseKey: 'MADE-UP' }, { ...wire.call, signal })
  const waiting = wire.reason(wire.keys[140] ?? '')
  controller.abort()
  expect(await canceled).toMatchObject({ kind: 'unavailable', cause: 'cancelled' })
  expect(await waiting).toBe('listed')
})

it('takes over from a walk that doesn’t go on', async () => {
  const wire = startWire(150)
  const hanging: ServiceCall = { fetch: () => new Promise(() => {}), timeoutMs: 3_600_000 }
  void wire.service.listActivations?.({ licenseKey: 'MADE-UP-0-AAAA' }, hanging)
  expect(await wire.reason(wire.keys[140] ?? '')).toBe('listed')
})
