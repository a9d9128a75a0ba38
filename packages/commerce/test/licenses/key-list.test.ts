import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CommerceClient, createCommerceClient, type Fetch } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { accessToken, key, licenseId } from '../samples.ts'
import { type Answer, json, type Service, signalOnce, startService } from '../service.ts'

const keyNumber = (number: number) => ({
  ...key,
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
})
const pageOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('page') ?? 1)
const clientOf = (service: Service): CommerceClient =>
  createCommerceClient({ baseUrl: service.baseUrl, accessToken })

const devicesOf = (page: number, count: number) => {
  const first = (page - 1) * 25
  return Array.from({ length: Math.min(25, count - first) }, (_, index) => keyNumber(first + index))
}

/** A license with this many devices, 25 per page. Each page is slow. */
function devices(count: number, delayMs = 0): Answer {
  const lastPage = Math.ceil(count / 25)
  return (request, response) => {
    const page = pageOf(request.url)
    const data = devicesOf(page, count)
    const links = { next: page < lastPage ? `?page=${page + 1}` : null }
    const answer = json({ data, links, meta: { current_page: page, last_page: lastPage, total: count } })
    setTimeout(() => answer(request, response), delayMs)
  }
}

describe('a list without page information', () => {
  it.each([
    [24, true],
    [25, false],
    [26, true],
    [50, false],
  ])('of %i keys is complete: %s, because 25 may be a full page', async (count, isWhole) => {
    const data = Array.from({ length: count }, (_, index) => keyNumber(index))
    const service = await startService(json({ data }))
    expect(await clientOf(service).licenses.keyList(licenseId)).toMatchObject({ isWhole })
  })
})

describe('a full page of keys', () => {
  const full = Array.from({ length: 25 }, (_, index) => keyNumber(index))
  const wholeOf = async (information: object): Promise<boolean> => {
    const service = await startService(json({ data: full, ...information }))
    return (await clientOf(service).licenses.keyList(licenseId)).isWhole
  }

  it.each([
    { meta: { per_page: 25, has_more: true } },
    { meta: { per_page: 25, next_cursor: 'c2' } },
    { meta: { per_page: 25 } },
    { meta: { currency: 'EUR' } },
    { meta: { currency: 'EUR' }, links: { self: '/keys' } },
    { meta: { current_page: '1', last_page: '2', total: '40' } },
    { meta: { last_page: 2 } },
    { meta: { pagination: { total: 40 } } },
    { meta: { page: { currentPage: 1, lastPage: 2 } } },
    { meta: { page: 'first' }, links: { next: null } },
    { meta: 'page 1 of 2', links: { next: null } },
    { meta: { total: 25, has_more: true } },
    { meta: { total: { pages: { of: { keys: 40 } } } } },
    { pagination: 'page 1 of 2', links: { next: null } },
    { links: { next: { href: '/keys?page=2' } }, meta: { total: 25 } },
    { links: [{ rel: 'next', href: '/keys?page=2' }], meta: { total: 25 } },
    { links: '/keys?page=2', meta: { total: 25 } },
    { current_page: 1, last_page: 2, next_page_url: '/keys?page=2', total: 40 },
    { has_more: true },
    { has_more: false, meta: { has_more: true } },
  ])('may be followed by another one after %j', async (information) => {
    expect(await wholeOf(information)).toBe(false)
  })

  it.each([
    { links: { next: null } },
    { meta: { total: 25 } },
    { meta: { total: '25' } },
    { meta: { current_page: '1', last_page: '1' } },
    { meta: { pagination: { total: 25, per_page: 25, total_pages: 1, current_page: 1 } } },
    { meta: { page: { currentPage: 1, lastPage: 1 } } },
    { meta: { per_page: 100 } },
    { has_more: false },
    { next_page_url: null, next: '' },
  ])('is the whole list after %j', async (information) => {
    expect(await wholeOf(information)).toBe(true)
  })

  it('is known by its own size', async () => {
    const service = await startService(json({ data: full.slice(0, 10), meta: { per_page: '10' } }))
    expect(await clientOf(service).licenses.keyList(licenseId)).toMatchObject({ isWhole: false })
  })

  it('isn’t read deeper than page information is', async () => {
    const deep = `${'{"meta":'.repeat(100_000)}7${'}'.repeat(100_000)}`
    const service = await startService((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(`{"data":[${JSON.stringify(key)}],"meta":${deep}}`)
    })
    expect(await clientOf(service).licenses.keyList(licenseId)).toMatchObject({ isWhole: false })
  })
})

describe('a license of many devices', () => {
  it('is listed completely, with 2,501 devices', async () => {
    const service = await startService(devices(2501))
    const list = await clientOf(service).licenses.keyList(licenseId)
    expect(list).toMatchObject({ isWhole: true, unreadableCount: 0, nextPage: null })
    expect(new Set(list.keys.map(({ id }) => id)).size).toBe(2501)
    expect(service.requests).toHaveLength(101)
  })

  it('is read only up to the requested page', async () => {
    const service = await startService(devices(1000))
    const wanted = keyNumber(60).id
    const list = await clientOf(service).licenses.keyList(licenseId, {
      until: (keys) => keys.some(({ id }) => id === wanted),
    })
    expect(list).toMatchObject({ isWhole: false, nextPage: 4 })
    expect(list.keys).toHaveLength(75)
    expect(service.requests).toHaveLength(3)
  })

  it('is complete when the device is found on the last page', async () => {
    const service = await startService(devices(60))
    const list = await clientOf(service).licenses.keyList(licenseId, {
      until: (keys) => keys.some(({ id }) => id === keyNumber(59).id),
    })
    expect(list).toMatchObject({ isWhole: true, nextPage: null })
  })

  it('is listed as far as time allows, and continued from there next time', async () => {
    const service = await startService(devices(200, 60))
    const { licenses } = clientOf(service)
    const found: string[] = []
    let page: number | null = 1
    let parts = 0
    while (page !== null) {
      const list = await licenses.keyList(licenseId, { page, withinMs: 150 })
      found.push(...list.keys.map(({ id }) => id))
      parts += 1
      expect(list.isWhole).toBe(list.nextPage === null)
      page = list.nextPage
    }
    expect(parts).toBeGreaterThan(1)
    expect(new Set(found).size).toBe(200)
  })

  it('stops at a page that hangs and keeps the earlier ones', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const hanging = signalOnce()
    const fetch: Fetch = async ({ url }) => {
      const number = pageOf(url)
      if (number < 3)
        return Response.json({ data: devicesOf(number, 100), links: { next: `?page=${number + 1}` } })
      hanging.give()
      return new Promise(() => {})
    }
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
    const listed = licenses.keyList(licenseId, { withinMs: 2_000 })
    await hanging.given
    vi.advanceTimersByTime(2_000)
    const list = await listed
    expect(list).toMatchObject({ isWhole: false, nextPage: 3 })
    expect(list.keys).toHaveLength(50)
  })

  it('is awaited even if its first page is slow', async () => {
    const service = await startService(devices(20, 150))
    const list = await clientOf(service).licenses.keyList(licenseId, { withinMs: 1 })
    expect(list).toMatchObject({ isWhole: true, nextPage: null })
  })

  it('fails like any call when a later page fails', async () => {
    const service = await startService((request, response) =>
      (pageOf(request.url) < 3 ? devices(100) : json({}, 503))(request, response),
    )
    expect(await errorOf(clientOf(service).licenses.keyList(licenseId, { withinMs: 600_000 }))).toMatchObject({
      code: 'unreachable',
      status: 503,
    })
  })

  it.each([undefined, 600_000])('fails when the caller cancels (within %s ms)', async (withinMs) => {
    const cancel = new AbortController()
    const service = await startService((request, response) => {
      if (pageOf(request.url) < 2) return devices(100)(request, response)
      cancel.abort()
    })
    const call = clientOf(service).licenses.keyList(licenseId, { withinMs, signal: cancel.signal })
    expect((await errorOf(call)).code).toBe('cancelled')
  })

  it('isn’t complete if a gateway reports that it left items out', async () => {
    const service = await startService(
      json({ data: [key], links: { next: null }, meta: { current_page: 1, unreadable: 2 } }),
    )
    const list = await clientOf(service).licenses.keyList(licenseId)
    expect(list).toEqual({ keys: [key], isWhole: false, unreadableCount: 2, nextPage: null })
  })

  it('can’t be continued if pages have no numbers', async () => {
    let count = 0
    const service = await startService((request, response) => {
      count++
      json({ data: [keyNumber(count)], links: { next: `?cursor=c${count}` } })(request, response)
    })
    const list = await clientOf(service).licenses.keyList(licenseId, { until: () => true })
    expect(list).toMatchObject({ isWhole: false, nextPage: null })
  })

  it.each([0, 1.5, -3])('isn’t requested from page %d', async (page) => {
    const service = await startService(devices(1))
    const error = await errorOf(clientOf(service).licenses.keyList(licenseId, { page }))
    expect(error).toMatchObject({ code: 'invalid-argument', operation: 'licenses.keys' })
    expect(service.requests).toHaveLength(0)
  })
})
