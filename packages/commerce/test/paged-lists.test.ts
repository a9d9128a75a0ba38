import { describe, expect, it, vi } from 'vitest'
import {
  type AnswerMeta,
  type CommerceClient,
  type Customer,
  createCommerceClient,
  type Page,
  type WalkOptions,
  type WalkProgress,
} from '../src/index.ts'
import { accessToken, customer, discount, page } from './samples.ts'
import { type Answer, errorOf, json, type Service, signalOnce, startService } from './service.ts'

/** A customer list of `lastPage` pages of 25, linked by absolute addresses as the document shows them. */
function customers(lastPage: number): Answer {
  return (request, response) => {
    const number = numberOf(request.url)
    const data = Array.from({ length: 25 }, (_, index) => customer((number - 1) * 25 + index))
    json(page(`http://${request.headers.host}/v1/customers`, data, number, lastPage, lastPage * 25))(
      request,
      response,
    )
  }
}

/** Gives the body of the requested page. */
function pages(bodyOf: (number: number) => unknown): Answer {
  return (request, response) => json(bodyOf(numberOf(request.url)))(request, response)
}

/** A page with one customer. @param next another link to the next page. */
function single(number: number, lastPage: number, next?: string | null): Page<Customer> {
  const body = page('/v1/customers', [customer(number)], number, lastPage)
  return next === undefined ? body : { ...body, links: { ...body.links, next } }
}

/** Reads an iterable to its end or its error. */
async function drain<T>(list: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const items: T[] = []
  try {
    for await (const item of list) items.push(item)
    return { items, error: null }
  } catch (error) {
    return { items, error }
  }
}

const numberOf = (url: string): number => Number(new URL(url, 'http://x').searchParams.get('page') ?? 1)

describe('a list', () => {
  const clientOf = ({ baseUrl }: Service): CommerceClient => createCommerceClient({ baseUrl, accessToken })

  it.each(['discounts', 'customers'] as const)(
    'GET /%s, with a page only when one is requested',
    async (list) => {
      const item = list === 'customers' ? customer(1) : discount
      const service = await startService(pages((number) => page('/v1/x', [item], number, 9)))
      const commerce = clientOf(service)
      expect((await commerce[list].list()).meta.current_page).toBe(1)
      expect((await commerce[list].list({ page: 7 })).meta.current_page).toBe(7)
      const type = 'application/json'
      const headers = { authorization: `Bearer ${accessToken}`, accept: type, 'content-type': type }
      expect(service.requests).toMatchObject([
        { method: 'GET', url: `/v1/${list}`, headers },
        { method: 'GET', url: `/v1/${list}?page=7` },
      ])
    },
  )

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'page %d is refused before it is sent',
    async (number) => {
      const service = await startService(customers(1))
      const { list, pages, all } = clientOf(service).customers
      const options = { page: number }
      for (const call of [list(options), pages(options).next(), all(options).next()]) {
        expect(await errorOf(call)).toMatchObject({ code: 'invalid-argument', operation: 'customers.list' })
      }
      expect(service.requests).toHaveLength(0)
    },
  )

  it('a page after the last is whatever the service answers', async () => {
    const service = await startService((request, response) => {
      const isEmpty = numberOf(request.url) === 8
      const answer = isEmpty ? json(page('/v1/customers', [], 8, 2)) : json({ message: 'no such page' }, 404)
      answer(request, response)
    })
    const list = clientOf(service).customers
    expect((await list.list({ page: 8 })).data).toEqual([])
    expect((await drain(list.all({ page: 8 }))).items).toEqual([])
    expect((await errorOf(list.list({ page: 9 }))).code).toBe('not-found')
  })

  describe.each([false, true])('reading all pages with prefetch %s', (prefetch) => {
    /** Reads all items of a service, and the numbers of its pages. */
    async function walk(answer: Answer, options: WalkOptions = {}) {
      const service = await startService(answer)
      const { items, error } = await drain(clientOf(service).customers.pages({ prefetch, ...options }))
      return {
        items: items.flatMap(({ data }) => data),
        numbers: items.map(({ meta }) => meta.current_page),
        error,
        urls: service.requests.map(({ url }) => url),
      }
    }

    it('returns every item once, in order, page by page', async () => {
      const { items, error, urls } = await walk(customers(4))
      expect(error).toBeNull()
      expect(items).toEqual(Array.from({ length: 100 }, (_, index) => customer(index)))
      expect(urls).toEqual(['', '?page=2', '?page=3', '?page=4'].map((query) => `/v1/customers${query}`))
    })

    it('starts at the given page, so an export can be resumed', async () => {
      expect(await walk(customers(4), { page: 3 })).toMatchObject({ numbers: [3, 4] })
    })

    it('reports its progress before it returns a page', async () => {
      const service = await startService(customers(3))
      const log: unknown[] = []
      const onProgress = (progress: WalkProgress): void => void log.push(progress)
      for await (const { meta } of clientOf(service).customers.pages({ prefetch, onProgress }))
        log.push(meta.current_page)
      expect(log).toEqual([1, 2, 3].flatMap((number) => [{ page: number, lastPage: 3, total: 75 }, number]))
    })

    it('follows its links even if the totals change', async () => {
      const shrinking = pages((number) => {
        const body = single(number, 4)
        return { ...body, meta: { ...body.meta, total: 100 - number * 50, last_page: 1 } }
      })
      expect((await walk(shrinking)).items).toHaveLength(4)
    })

    it('ends at an empty page even if it has a next one', async () => {
      const sparse = pages((number) => page('/v1/customers', number < 3 ? [customer(number)] : [], number, 9))
      const { numbers, error, urls } = await walk(sparse)
      expect([numbers, error, urls.length]).toEqual([[1, 2], null, 3])
    })

    it.each<[string, (number: number) => { next: string; current: number }, number[]]>([
      ['a page whose next is itself', () => ({ next: '/v1/customers', current: 1 }), [1]],
      ['a service that ignores the page', () => ({ next: '/v1/customers?page=2', current: 1 }), [1]],
      ['a way back', (n) => ({ next: `/v1/customers?page=${(n % 3) + 1}`, current: n }), [1, 2, 3]],
      [
        'a page that repeats under a new address',
        (n) => ({ next: `/v1/customers?page=${n + 1}`, current: Math.min(n, 2) }),
        [1, 2],
      ],
    ])('ends at %s', async (_what, link, expected) => {
      const circular = pages((number) => {
        const { next, current } = link(number)
        return single(current, 99, next)
      })
      const { numbers, error, urls } = await walk(circular)
      expect([numbers, error]).toEqual([expected, null])
      expect(urls.length).toBeLessThanOrEqual(expected.length + 1)
    })

    it.each([401, 404, 422, 500])(
      'fails at a page refused with %i, after all items before it',
      async (status) => {
        const { items, error, urls } = await walk((request, response) =>
          (numberOf(request.url) === 3 ? json({}, status) : customers(5))(request, response),
        )
        expect([items.length, urls.length]).toEqual([50, 3])
        expect(error).toMatchObject({ name: 'CommerceError', status, operation: 'customers.list' })
      },
    )

    it('fails at an invalid page and names the field', async () => {
      const { items, error } = await walk(
        pages((number) => {
          const body = single(1, 3)
          return number === 1 ? body : { ...body, meta: { ...body.meta, total: '75' } }
        }),
      )
      expect(items).toHaveLength(1)
      expect(error).toMatchObject({ code: 'unexpected-answer', field: 'meta.total' })
    })

    it('is cancelled between two pages and in the middle of one', async () => {
      const between = new AbortController()
      const service = await startService(customers(9))
      const seen: Page<unknown>[] = []
      const walking = (async () => {
        for await (const next of clientOf(service).customers.pages({ prefetch, signal: between.signal })) {
          seen.push(next)
          if (seen.length === 2) between.abort()
        }
      })()
      expect((await errorOf(walking)).code).toBe('cancelled')
      expect(seen).toHaveLength(2)

      const within = new AbortController()
      const { items, error } = await walk(
        (request, response) => {
          if (numberOf(request.url) === 1) return customers(9)(request, response)
          within.abort()
        },
        { signal: within.signal },
      )
      expect(items).toHaveLength(25)
      expect(error).toMatchObject({ code: 'cancelled' })
    })

    const elsewhere = 'https://internal.example:8443'
    it.each<[string, (service: Service) => string]>([
      ['another host', () => `${elsewhere}/v1/customers?page=2`],
      [
        'another scheme, as behind a TLS proxy',
        ({ baseUrl }) => `${baseUrl.replace('http:', 'https:')}/customers?page=2`,
      ],
      ['another host without a scheme', () => '//evil.example/v1/customers?page=2'],
      ['credentials', ({ baseUrl }) => `${baseUrl.replace('//', '//ada:pw@')}/customers?page=2`],
      ['a user name', ({ baseUrl }) => `${baseUrl.replace('//', '//ada@')}/customers?page=2`],
      ['another base path', ({ origin }) => `${origin}/v2/customers?page=2`],
      ['a base path that only starts alike', ({ origin }) => `${origin}/v1-evil/customers?page=2`],
      ['a way out of the base path', ({ baseUrl }) => `${baseUrl}/../admin?page=2`],
      ['an encoded way out of the base path', ({ baseUrl }) => `${baseUrl}/%2e%2e/admin?page=2`],
      ['another query beside the page', () => `${elsewhere}/v1/customers?token=x&page=2`],
    ])('uses only the page number of a link to %s, with our own address', async (_where, link) => {
      const service: Service = await startService(
        pages((number) => single(number, 2, number === 1 ? link(service) : null)),
      )
      const { items, error } = await drain(clientOf(service).customers.all({ prefetch }))
      expect([items, error]).toEqual([[customer(1), customer(2)], null])
      expect(service.requests.map(({ url }) => url)).toEqual(['/v1/customers', '/v1/customers?page=2'])
    })

    it('follows relative links, and keeps their other query parameters beside a link elsewhere', async () => {
      const links = [null, '?sort=name&page=2', `${elsewhere}/v1/customers?page=3`, null]
      const { items, urls } = await walk(pages((number) => single(number, 3, links[number] ?? null)))
      expect(items).toHaveLength(3)
      expect(urls.slice(1)).toEqual(['/v1/customers?sort=name&page=2', '/v1/customers?sort=name&page=3'])
    })

    it.each([
      ['another host, by a cursor', 'scheme, host or port', `${elsewhere}/v1/customers?cursor=abc`],
      ['another host, to a page that is no number', 'scheme, host or port', `${elsewhere}/?page=two`],
      ['another host, to page 0', 'scheme, host or port', `${elsewhere}/?page=0`],
      ['no web page', 'scheme, host or port', 'javascript:alert(1)'],
      ['data', 'scheme, host or port', 'data:application/json,{}'],
      ['nothing that is a URL', 'not a URL', 'http://'],
    ])('doesn’t follow a link to %s', async (_where, why, next) => {
      const { items, error, urls } = await walk(json(single(1, 2, next)))
      expect([items, urls.length]).toEqual([[customer(1)], 1])
      expect(error).toMatchObject({ code: 'untrusted-link', operation: 'customers.list', isRetryable: false })
      expect(error).toMatchObject({ message: expect.stringContaining(why) })
    })
  })

  describe('requests and memory', () => {
    /** Reads the first pages of a list of nine, and reports which pages were requested by then. */
    async function requestedAfter(pages: number, options: WalkOptions, lastPage = 9): Promise<number> {
      const service = await startService(customers(lastPage))
      const walk = clientOf(service).customers.pages(options)
      for (let count = 0; count < pages; count += 1) await walk.next()
      // A request that was sent before this one has arrived after it.
      const due = Math.min(pages + (options.prefetch === true ? 1 : 0), lastPage)
      await vi.waitUntil(() => service.requests.length >= due, { timeout: 60_000 })
      await fetch(service.origin)
      await walk.return()
      return service.requests.length - 1
    }

    it('a page is requested only after the previous one is used up, or one page ahead', async () => {
      expect(await requestedAfter(1, {})).toBe(1)
      expect(await requestedAfter(1, { prefetch: true })).toBe(2)
      expect(await requestedAfter(2, { prefetch: true })).toBe(3)
      expect(await requestedAfter(1, { prefetch: true }, 1)).toBe(1)
    })

    it('returns nothing more after it is cancelled, even if a page has arrived', async () => {
      const service = await startService(customers(9))
      const cancel = new AbortController()
      const arrived = signalOnce()
      let answers = 0
      const onAnswer = (): void => {
        answers += 1
        if (answers === 2) arrived.give()
      }
      const walk = clientOf(service).customers.pages({ prefetch: true, signal: cancel.signal, onAnswer })
      await walk.next()
      await arrived.given
      cancel.abort()
      expect(await errorOf(walk.next())).toMatchObject({ code: 'cancelled', operation: 'customers.list' })
    })

    it('cancels the page that is loading when the caller stops early', async () => {
      const [asked, closed] = [signalOnce(), signalOnce()]
      const service = await startService((request, response) => {
        if (numberOf(request.url) === 1) return customers(9)(request, response)
        response.on('close', closed.give)
        asked.give()
      })
      // Longer than this test may take, so that no time limit closes the connection.
      const options = { prefetch: true, timeout: 3_600_000 }
      for await (const _page of clientOf(service).customers.pages(options)) {
        await asked.given
        break
      }
      await closed.given
    })

    it('a prefetched page that fails and is never read causes no unhandled rejection', async () => {
      const unhandled: unknown[] = []
      const note = (reason: unknown): void => void unhandled.push(reason)
      process.on('unhandledRejection', note)
      const service = await startService((request, response) =>
        (numberOf(request.url) === 1 ? customers(9) : json({}, 500))(request, response),
      )
      const failed = signalOnce()
      const onAnswer = ({ status }: AnswerMeta): void => {
        if (status === 500) failed.give()
      }
      for await (const _page of clientOf(service).customers.pages({ prefetch: true, onAnswer })) {
        await failed.given
        break
      }
      await new Promise((resolveSoon) => setImmediate(resolveSoon))
      process.off('unhandledRejection', note)
      expect(unhandled).toEqual([])
    })
  })
})
