import { describe, expect, it } from 'vitest'
import { createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { accessToken, key, licenseId, page } from '../samples.ts'
import { json, type Service, startService } from '../service.ts'

const keysPath = `/v1/licenses/${licenseId}/keys`
const keyNumber = (number: number) => ({
  ...key,
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
})
/** Numbered links, as some services list them beside the keys. */
const buttons = [
  { url: null, label: '&laquo; Previous', active: false },
  { url: 'https://commerce.example/keys?page=1', label: '1', active: true },
  { url: null, label: 'Next &raquo;', active: false },
]
const list = (service: Service) =>
  createCommerceClient({ baseUrl: service.baseUrl, accessToken }).licenses.keys(licenseId)

describe('the keys of a license', () => {
  it('are complete when the answer has no pages', async () => {
    const data = Array.from({ length: 40 }, (_, index) => keyNumber(index))
    const service = await startService(json({ data }))
    expect(await list(service)).toEqual(data)
    expect(service.requests).toHaveLength(1)
  })

  it('are complete when the answer has pages, each requested with the token', async () => {
    const service = await startService((request, response) => {
      const number = Number(new URL(request.url, 'http://x').searchParams.get('page') ?? 1)
      const path = `http://${request.headers.host}${keysPath}`
      const data = Array.from({ length: 25 }, (_, index) => keyNumber(number * 25 + index))
      json(page(path, data, number, 3))(request, response)
    })
    expect(await list(service)).toHaveLength(75)
    expect(service.requests.map(({ url }) => url)).toEqual([
      keysPath,
      `${keysPath}?page=2`,
      `${keysPath}?page=3`,
    ])
    expect(service.requests.every(({ headers }) => headers.authorization === `Bearer ${accessToken}`)).toBe(
      true,
    )
  })

  it.each([
    ['cursors', (number: number) => `?cursor=c${number}`],
    ['paths', (number: number) => `${keysPath}?page=${number}`],
  ])('follow links that are relative, with %s', async (_kind, next) => {
    let count = 0
    const service = await startService((request, response) => {
      count++
      json({ data: [keyNumber(count)], links: { next: count < 3 ? next(count + 1) : null } })(
        request,
        response,
      )
    })
    expect(await list(service)).toHaveLength(3)
  })

  it.each([
    ['no next', { data: [key], links: {} }],
    ['a null next', { data: [key], links: { next: null } }],
    ['links that are null', { data: [key], links: null }],
    ['links of another shape', { data: [key], links: [{ rel: 'next' }] }],
    ['a next that isn’t a string', { data: [key], links: { next: 7 } }],
    ['page data without links', { data: [key], meta: { total: 'many' } }],
  ])('end at %s', async (_what, answer) => {
    const service = await startService(json(answer))
    expect(await list(service)).toEqual([key])
    expect(service.requests).toHaveLength(1)
  })

  it('fail if the pages never end', async () => {
    let count = 0
    const service = await startService((request, response) => {
      count++
      json({ data: [keyNumber(count)], links: { next: `?page=${count + 1}` } })(request, response)
    })
    const error = await errorOf(list(service))
    expect(error).toMatchObject({ code: 'unexpected-answer', operation: 'licenses.keys' })
    expect(error.message).toContain('does not end')
    expect(service.requests).toHaveLength(1000)
  })

  it('are complete when they fill the largest number of pages that is read', async () => {
    let count = 0
    const service = await startService((request, response) => {
      count++
      json({ data: [keyNumber(count)], links: { next: count < 1000 ? `?page=${count + 1}` : null } })(
        request,
        response,
      )
    })
    expect(await list(service)).toHaveLength(1000)
  })

  it('end at a page that repeats itself', async () => {
    const service = await startService(json({ data: [key], links: { next: `${keysPath}?page=2` } }))
    expect(await list(service)).toEqual([key])
    expect(service.requests).toHaveLength(2)
  })

  it('are empty on an empty page, even with a next link', async () => {
    const service = await startService(json({ data: [], links: { next: `${keysPath}?page=2` } }))
    expect(await list(service)).toEqual([])
    expect(service.requests).toHaveLength(1)
  })

  const whole = (service: Service) =>
    createCommerceClient({ baseUrl: service.baseUrl, accessToken }).licenses.keyList(licenseId)

  it.each([
    ['not paged', { data: [key] }],
    ['empty', { data: [] }],
    [
      'a last page',
      { data: [key], links: { next: null }, meta: { current_page: 1, last_page: 1, total: 1 } },
    ],
    ['with unknown meta fields', { data: [key], meta: { currency: 'EUR', total_seats: 5 } }],
    ['with as many in total', { data: [key], meta: { total: 1 } }],
    ['with links for buttons', { data: [key], links: buttons, next_page_url: null, last_page: 1, total: 1 }],
    ['with pages counted from 0', { data: [key], meta: { page: 0, total_pages: 1 } }],
    ['with a text as meta', { data: [key], meta: 'ok' }],
    ['with the number of pages', { data: [key], meta: { page: 1, pages: 1 } }],
    ['with an empty token of a next page', { data: [key], next_page_token: '' }],
    ['with empty arrays for missing objects', { data: [key], links: [], meta: [] }],
  ])('are complete when the answer is %s', async (_what, answer) => {
    const service = await startService(json(answer))
    expect(await whole(service)).toMatchObject({ keys: answer.data, isWhole: true })
  })

  it.each([
    ['an item that isn’t a key', { data: [key, { name: 'no id' }] }],
    ['an item that is null', { data: [key, null] }],
    ['an id that isn’t a UUID', { data: [key, { ...key, id: 'k-7' }] }],
    ['a page that repeats itself', { data: [key], links: { next: `${keysPath}?page=2` } }],
    ['more in total than was listed', { data: [key], meta: { total: 2 } }],
    ['a further page without a link', { data: [key], links: null, meta: { current_page: 1, last_page: 2 } }],
    ['a total that can be read', { data: [key], meta: { total: -1 } }],
    ['a last page', { data: [key], links: buttons, next_page_url: 'https://x/keys?page=2' }],
    ['word of the end', { data: [key], links: buttons }],
    ['the second of two pages counted from 0', { data: [key], meta: { page: 0, total_pages: 2 } }],
    ['a last page counted from 0', { data: [key], meta: { current_page: 0, last_page: 1 } }],
    ['the other pages', { data: [key], meta: { page: 1, pages: 3, limit: 1 } }],
    ['the page of a token', { data: [key], next_page_token: 'x' }],
    ['page data that can be read', { data: [key], meta: { total: 'many', current_page: null } }],
    ['a meta that is an object', { data: [key], meta: 7 }],
    ['a next that is text', { data: [key], links: { next: { href: '/keys?page=2' } } }],
    ['a gateway’s count of omitted items', { data: [key], meta: { unreadable: 'some' } }],
  ])('are listed without %s, and the list is incomplete', async (_what, answer) => {
    const service = await startService(json(answer))
    expect(await whole(service)).toMatchObject({ keys: [key], isWhole: false })
    expect(await list(service)).toEqual([key])
  })

  it('fail if no item is a key', async () => {
    const service = await startService(json({ data: [{ id: 7 }, null] }))
    expect(await errorOf(list(service))).toMatchObject({ code: 'unexpected-answer', field: 'data' })
  })

  it('count once even if a page repeats one in another case', async () => {
    const service = await startService(json({ data: [key, { ...key, id: key.id.toUpperCase() }] }))
    expect(await list(service)).toHaveLength(1)
  })

  it('aren’t fetched from another origin: only the page number of such a link is used', async () => {
    const elsewhere = await startService(json({ data: [key] }))
    const service = await startService((request, response) => {
      const next = `${elsewhere.origin}${keysPath}?page=2`
      const isFirst = !request.url.includes('page=')
      json({ data: [keyNumber(isFirst ? 1 : 2)], links: { next: isFirst ? next : null } })(request, response)
    })
    expect(await list(service)).toHaveLength(2)
    expect(service.requests.map(({ url }) => url)).toEqual([keysPath, `${keysPath}?page=2`])
    expect(elsewhere.requests).toHaveLength(0)
  })

  it('fail at a link to another origin that names no page', async () => {
    const elsewhere = await startService(json({ data: [key] }))
    const service = await startService(
      json({ data: [key], links: { next: `${elsewhere.origin}${keysPath}?cursor=2` } }),
    )
    const error = await errorOf(list(service))
    expect(error).toMatchObject({ code: 'untrusted-link', operation: 'licenses.keys', isRetryable: false })
    expect(error.message).not.toContain(licenseId)
    expect(elsewhere.requests).toHaveLength(0)
  })
})
