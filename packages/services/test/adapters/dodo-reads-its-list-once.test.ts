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
  const licenseOf = (index: number) => ({ id: `lic_${index}`, key: keys[index], status: 'active' })
  const answerTo = (path: string, query: URLSearchParams): object => {
    if (path === '/license_key_instances') return { items: [] }
    if (path === '/licenses/activate') {
      return { id: 'lki_1', license_key_id: `lic_${keys.length - 1}`, product: { product_id: productId } }
    }
    const id = /^\/license_keys\/lic_(\d+)$/u.exec(path)?.[1]
    if (id !== undefined) return { ...licenseOf(Number(id)), product_id: productId }
    const from = Number(query.get('page_number')) * pageSize
    return { items: keys.slice(from, from + pageSize).map((_, index) => licenseOf(from + index)) }
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

it('reads its list once for many made-up license keys', async () => {
  const { requests, reason } = startWire(350)
  const together = Array.from({ length: 40 }, (_, index) => reason(`MADE-UP-${index}-AAAA`))
  expect(new Set(await Promise.all(together))).toEqual(new Set(['unknown-license']))
  for (let index = 0; index < 40; index += 1) await reason(`LATER-${index}-AAAA-BBBB`)
  expect(pages(requests)).toBe(5)
})

it('reads all of a long list at most every ten minutes, however many made-up license keys come', async () => {
  const { requests, reason } = startWire(5_000)
  for (let minute = 0; minute < 9; minute += 1) {
    for (let index = 0; index < 15; index += 1) {
      expect(await reason(`MADE-UP-${minute}-${index}-AAAA`)).toBe('unknown-license')
    }
    await vi.advanceTimersByTimeAsync(60_000)
  }
  // All 50 pages and the empty one behind them; then the first page and the last ones, once a minute.
  expect(pages(requests)).toBe(51 + 8 * 4)
})

it.each([
  ['first', (keys: string[]) => keys.unshift('NEW-CUSTOMER-AAAA')],
  ['last', (keys: string[]) => keys.push('NEW-CUSTOMER-AAAA')],
])('finds a new license on the %s page without reading all of a long list', async (_place, add) => {
  const { requests, reason, keys } = startWire(5_000)
  await reason('MADE-UP-0-AAAA-BBBB')
  add(keys)
  await vi.advanceTimersByTimeAsync(11_000)
  const before = pages(requests)
  expect(await reason('NEW-CUSTOMER-AAAA')).toBe('listed')
  expect(pages(requests) - before).toBeLessThanOrEqual(4)
})

it('asks for a license that it has seen by its ID', async () => {
  const { requests, reason, keys } = startWire(350)
  expect(await reason(keys[340] ?? '')).toBe('listed')
  expect(await reason(keys[10] ?? '')).toBe('listed')
  expect(pages(requests)).toBe(4)
  expect(requests).toContain('/license_keys/lic_10')
})

it('knows a new customer’s license key within seconds, while made-up ones keep coming', async () => {
  const { requests, reason, keys } = startWire(350)
  await reason('MADE-UP-0-AAAA-BBBB')
  keys.push('NEW-CUSTOMER-AAAA')
  let reasons = 0
  for (; (await reason('NEW-CUSTOMER-AAAA')) !== 'listed'; reasons += 1) {
    await vi.advanceTimersByTimeAsync(1000)
    await reason(`MADE-UP-${reasons}-AAAA`)
  }
  expect(reasons).toBeLessThan(11)
  expect(pages(requests)).toBeLessThan(15)
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
    path === '/license_keys/lic_3' ? Response.json({ code: 'NOT_FOUND' }, { status: 404 }) : undefined
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

it.each([
  ['', undefined, 0],
  [' if the answer to it is lost', () => new Response('gone', { status: 504 }), 3],
])('knows a license key from its activation on%s', async (_when, proxy, walkedPages) => {
  const wire = startWire(150)
  await wire.reason('MADE-UP-0-AAAA-BBBB')
  wire.keys.push('NEW-CUSTOMER-AAAA')
  const before = pages(wire.requests)
  wire.proxy = proxy
  const device = { deviceName: 'Laptop', fingerprint: '0123456789abcdef' }
  const activated = await finish(
    wire.service.activate({ licenseKey: 'NEW-CUSTOMER-AAAA', ...device }, wire.call),
  )
  expect(activated).toMatchObject({ kind: proxy === undefined ? 'answer' : 'unavailable' })
  wire.proxy = undefined
  expect(await wire.reason('NEW-CUSTOMER-AAAA')).toBe('listed')
  expect(pages(wire.requests) - before).toBeLessThanOrEqual(walkedPages)
})
