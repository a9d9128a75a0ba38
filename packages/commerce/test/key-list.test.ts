import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCommerceClient, type Fetch, type KeyListOptions } from '../src/index.ts'
import { accessToken, key, keyId, license, licenseId, page } from './samples.ts'
import { type Answer, errorOf, json, type Service, signalOnce, startService } from './service.ts'

const keysPath = `/v1/licenses/${licenseId}/keys`
const keyNumber = (number: number) => ({
  ...key,
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
})
const keyNumbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => keyNumber(first + index))
const pageOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('page') ?? 1)
const listOf = (service: Service, options?: KeyListOptions) =>
  createCommerceClient({ baseUrl: service.baseUrl, accessToken }).licenses.keyList(licenseId, options)
/** The list of a service that gives one answer. */
const listIn = async (answer: object) => listOf(await startService(json(answer)))

/** A license with this many devices, 25 per page, in the documented envelope. Each page is slow. */
function devices(count: number, delayMs = 0): Answer {
  return (request, response) => {
    const number = pageOf(request.url)
    const first = (number - 1) * 25
    const data = keyNumbers(Math.min(25, count - first), first)
    const path = `http://${request.headers.host}${keysPath}`
    const answer = json(page(path, data, number, Math.ceil(count / 25), count))
    if (delayMs === 0) answer(request, response)
    else setTimeout(() => answer(request, response), delayMs)
  }
}

/** Numbered links, as some services list them beside the keys. */
const buttons = [{ url: null, label: '&laquo; Previous', active: false }]
const full = keyNumbers(25)

describe('a list of keys is complete', () => {
  it.each([
    ['not paged', { data: [key] }],
    ['empty', { data: [] }],
    ['of more than one page, without pages', { data: keyNumbers(40) }],
    ['without a next page', { data: full, links: { next: null } }],
    ['the last page', { data: full, meta: { current_page: 1, last_page: 1 } }],
    ['of as many keys as there are', { data: full, meta: { total: 25 } }],
    ['less than a page', { data: full, meta: { per_page: 100 } }],
    ['with an empty object', { data: [key], links: {}, meta: {} }],
    ['with null', { data: [key], links: null, meta: null, next_cursor: null }],
    ['with empty arrays for missing objects', { data: [key], links: [], meta: [] }],
    ['with fields that are not about pages', { data: [key], message: 'ok', meta: { currency: 'EUR' } }],
  ])('if the answer is %s', async (_what, answer) => {
    expect(await listIn(answer)).toMatchObject({ keys: answer.data, isWhole: true, unreadableCount: 0 })
  })

  it('with all of its pages, each requested with the token', async () => {
    const service = await startService(devices(2501))
    const list = await listOf(service)
    expect(list).toMatchObject({ isWhole: true, unreadableCount: 0, nextPage: null })
    expect(new Set(list.keys.map(({ id }) => id)).size).toBe(2501)
    expect(service.requests.slice(0, 2).map(({ url }) => url)).toEqual([keysPath, `${keysPath}?page=2`])
    const tokens = new Set(service.requests.map(({ headers }) => headers.authorization))
    expect([service.requests.length, ...tokens]).toEqual([101, `Bearer ${accessToken}`])
  })
})

describe('a list of keys is incomplete, but its keys are listed,', () => {
  it.each<[what: string, answer: { data: unknown[] } & Record<string, unknown>]>([
    ['an item isn’t a key', { data: [key, { name: 'no id' }] }],
    ['an item is null', { data: [key, null] }],
    ['an id isn’t a UUID', { data: [key, { ...key, id: 'k-7' }] }],
    ['a page repeats itself', { data: [key], links: { next: `${keysPath}?page=2` } }],
    ['there are more in total', { data: [key], meta: { total: 2 } }],
    ['there is a further page', { data: [key], links: null, meta: { current_page: 1, last_page: 2 } }],
    ['pages are counted from 0', { data: [key], meta: { current_page: 0, last_page: 1 } }],
    ['the total can’t be read', { data: [key], meta: { total: 'many' } }],
    ['meta is a text', { data: [key], meta: 'page 1 of 2', links: { next: null } }],
    ['links are buttons', { data: [key], links: buttons }],
    ['next is no text', { data: [key], links: { next: { href: '/keys?page=2' } }, meta: { total: 1 } }],
    ['pages have another form', { data: [key], next_page_url: '/keys?page=2' }],
    ['pages have cursors', { data: [key], meta: { next_cursor: 'c2' } }],
    ['there may be more', { data: [key], has_more: true }],
    ['meta has a page object', { data: [key], meta: { pagination: { total: 40 } } }],
    ['a gateway’s count can’t be read', { data: [key], meta: { unreadable: 'some' } }],
  ])('if %s', async (_what, answer) => {
    expect(await listIn(answer)).toMatchObject({ keys: [key], isWhole: false })
  })

  it('if a gateway reports that it left items out', async () => {
    const answer = { data: [key], links: { next: null }, meta: { current_page: 1, unreadable: 2 } }
    expect(await listIn(answer)).toEqual({ keys: [key], isWhole: false, unreadableCount: 2, nextPage: null })
  })

  it('and can’t be continued if pages have no numbers', async () => {
    let count = 0
    const service = await startService((request, response) => {
      count++
      json({ data: [keyNumber(count)], links: { next: `?cursor=c${count}` } })(request, response)
    })
    expect(await listOf(service, { until: () => true })).toMatchObject({ isWhole: false, nextPage: null })
  })
})

describe.each([{}, { meta: { currency: 'EUR' } }, { links: { self: '/keys' } }, { meta: { per_page: 25 } }])(
  'a list of keys that fills a page after which another one may follow: %j',
  (information) => {
    /** The list of a license that has as many keys in use as this. */
    async function listWith(usage: number | null, fields: object = {}, status = 200, keys = full) {
      const validated = { license: { ...license, activation_usage: usage }, key: keys[0], ...fields }
      const service = await startService((request, response) =>
        (request.method === 'GET' ? json({ data: keys, ...information }) : json(validated, status))(
          request,
          response,
        ),
      )
      return { list: await listOf(service), service }
    }

    it('is complete if the license has as many keys in use, which validating one of them shows', async () => {
      const { list, service } = await listWith(25)
      expect(list).toEqual({ keys: full, isWhole: true, unreadableCount: 0, nextPage: null })
      const url = `/v1/licenses/${licenseId}/validate`
      expect(service.requests[1]).toMatchObject({
        method: 'POST',
        url,
        body: JSON.stringify({ key: full[0]?.id }),
      })
      expect((await listWith(50, {}, 200, keyNumbers(50))).list.isWhole).toBe(true)
    })

    it.each<[why: string, ...Parameters<typeof listWith>]>([
      ['the license has more in use', 26],
      ['the license doesn’t say how many are in use', null],
      [
        'the answer is about another license',
        25,
        { license: { ...license, id: keyId, activation_usage: 25 } },
      ],
      ['the answer is about another key', 25, { key }],
      ['the key is refused', 25, {}, 404],
    ])('is incomplete if %s', async (_why, ...answers) => {
      expect((await listWith(...answers)).list).toMatchObject({ keys: full, isWhole: false, nextPage: null })
    })

    it('needs no such check if it has fewer keys', async () => {
      const { list, service } = await listWith(null, {}, 200, full.slice(1))
      expect([list.isWhole, service.requests.length]).toEqual([true, 1])
    })
  },
)

describe('a list of keys', () => {
  it.each([
    ['cursors', (number: number) => `?cursor=c${number}`],
    ['paths', (number: number) => `${keysPath}?page=${number}`],
  ])('follows links that are relative, with %s', async (_kind, next) => {
    let count = 0
    const service = await startService((request, response) => {
      count++
      const links = { next: count < 3 ? next(count + 1) : null }
      json({ data: [keyNumber(count)], links })(request, response)
    })
    expect(await listOf(service)).toMatchObject({ keys: keyNumbers(3, 1), isWhole: true })
  })

  it.each([1000, Number.POSITIVE_INFINITY])('of %d pages is read up to a thousand', async (pages) => {
    let count = 0
    const fetch: Fetch = async () => {
      count++
      const links = { next: count < pages ? `?page=${count + 1}` : null }
      return Response.json({ data: [keyNumber(count)], links })
    }
    const { licenses } = createCommerceClient({ baseUrl: 'https://commerce.example/v1', fetch })
    const listed = licenses.keyList(licenseId)
    if (pages === 1000) expect((await listed).keys).toHaveLength(1000)
    else expect((await errorOf(listed)).message).toContain('does not end')
    expect(count).toBe(1000)
  })

  it.each([
    [1, []],
    [2, [key]],
  ])('ends after %i requests at a page that adds nothing new', async (requests, data) => {
    const service = await startService(json({ data, links: { next: `${keysPath}?page=2` } }))
    expect((await listOf(service)).keys).toEqual(data)
    expect(service.requests).toHaveLength(requests)
  })

  it('fails if no item is a key', async () => {
    const error = await errorOf(listIn({ data: [{ id: 7 }, null] }))
    expect(error).toMatchObject({ code: 'unexpected-answer', field: 'data' })
  })

  it('has a key once even if a page repeats it in another case', async () => {
    const { keys } = await listIn({ data: [key, { ...key, id: key.id.toUpperCase() }] })
    expect(keys).toHaveLength(1)
  })

  it('isn’t fetched from another origin: only the page number of such a link is used', async () => {
    const elsewhere = await startService(json({ data: [key] }))
    const service = await startService((request, response) => {
      const isFirst = !request.url.includes('page=')
      const links = { next: isFirst ? `${elsewhere.origin}${keysPath}?page=2` : null }
      json({ data: [keyNumber(isFirst ? 1 : 2)], links })(request, response)
    })
    expect((await listOf(service)).keys).toHaveLength(2)
    expect(service.requests.map(({ url }) => url)).toEqual([keysPath, `${keysPath}?page=2`])

    const cursor = { next: `${elsewhere.origin}${keysPath}?cursor=2` }
    const error = await errorOf(listIn({ data: [key], links: cursor }))
    expect(error).toMatchObject({ code: 'untrusted-link', operation: 'licenses.keys', isRetryable: false })
    expect(error.message).not.toContain(licenseId)
    expect(elsewhere.requests).toHaveLength(0)
  })

  it('isn’t read deeper than page information is', async () => {
    const deep = `${'{"meta":'.repeat(100_000)}7${'}'.repeat(100_000)}`
    const service = await startService((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(`{"data":[${JSON.stringify(key)}],"meta":${deep}}`)
    })
    expect((await listOf(service)).keys).toEqual([key])
  })
})

describe('a license of many devices', () => {
  it('is read only up to the requested page', async () => {
    const service = await startService(devices(1000))
    const wanted = (number: number): KeyListOptions => ({
      until: (keys) => keys.some(({ id }) => id === keyNumber(number).id),
    })
    const list = await listOf(service, wanted(60))
    expect(list).toMatchObject({ isWhole: false, nextPage: 4 })
    expect([list.keys.length, service.requests.length]).toEqual([75, 3])
    const last = await listOf(await startService(devices(60)), wanted(59))
    expect(last).toMatchObject({ isWhole: true, nextPage: null })
  })

  it('is listed as far as time allows, and continued from there next time', async () => {
    const service = await startService(devices(200, 60))
    const found: string[] = []
    let parts = 0
    for (let next: number | null = 1; next !== null; parts += 1) {
      const list = await listOf(service, { page: next, withinMs: 150 })
      found.push(...list.keys.map(({ id }) => id))
      expect(list.isWhole).toBe(list.nextPage === null)
      next = list.nextPage
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
      if (number < 3) return Response.json(page(keysPath, keyNumbers(25, number * 25), number, 4, 100))
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
    expect(await listOf(service, { withinMs: 1 })).toMatchObject({ isWhole: true, nextPage: null })
  })

  it('fails like any call when a later page fails', async () => {
    const service = await startService((request, response) =>
      (pageOf(request.url) < 3 ? devices(100) : json({}, 503))(request, response),
    )
    const error = await errorOf(listOf(service, { withinMs: 600_000 }))
    expect(error).toMatchObject({ code: 'unreachable', status: 503 })
  })

  it.each([undefined, 600_000])('fails when the caller cancels (within %s ms)', async (withinMs) => {
    const cancel = new AbortController()
    const service = await startService((request, response) => {
      if (pageOf(request.url) < 2) return devices(100)(request, response)
      cancel.abort()
    })
    const call = listOf(service, { withinMs, signal: cancel.signal })
    expect((await errorOf(call)).code).toBe('cancelled')
  })

  it.each([0, 1.5, -3])('isn’t requested from page %d', async (number) => {
    const service = await startService(devices(1))
    const error = await errorOf(listOf(service, { page: number }))
    expect(error).toMatchObject({ code: 'invalid-argument', operation: 'licenses.keys' })
    expect(service.requests).toHaveLength(0)
  })
})
