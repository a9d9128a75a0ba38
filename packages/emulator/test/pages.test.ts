import { afterEach, beforeEach, expect, it } from 'vitest'
import { dialects, type Emulator, startEmulator } from '../src/index.ts'
import { at, type RawAnswer, rawRequests } from './raw-requests.ts'

let emulator: Emulator
beforeEach(async () => {
  emulator = await startEmulator({ customers: 60, discounts: 0 })
})
afterEach(() => emulator.close())

const get = (path: string): Promise<RawAnswer> => rawRequests(emulator).send('GET', path)

it('has every field of the first page, in the documented order', async () => {
  const answer = await get('/customers')
  const path = `${emulator.baseUrl}/customers`
  expect(answer.body).toMatchObject({
    links: { first: `${path}?page=1`, last: `${path}?page=3`, prev: null, next: `${path}?page=2` },
    meta: {
      current_page: 1,
      from: 1,
      to: 25,
      last_page: 3,
      per_page: 25,
      total: 60,
      path,
      links: [
        { url: null, label: 'Previous', active: false },
        { url: `${path}?page=1`, label: '1', active: true },
        { url: `${path}?page=2`, label: '2', active: false },
        { url: `${path}?page=3`, label: '3', active: false },
        { url: `${path}?page=2`, label: 'Next', active: false },
      ],
    },
  })
  expect(at(answer, 'data')).toHaveLength(25)
  expect(Object.keys(Object(at(answer, 'meta')))).toEqual([
    'current_page',
    'from',
    'to',
    'last_page',
    'per_page',
    'total',
    'path',
    'links',
  ])
})

it('has no next page after the last one', async () => {
  expect((await get('/customers?page=3')).body).toMatchObject({
    links: { next: null, prev: `${emulator.baseUrl}/customers?page=2` },
    meta: { current_page: 3, from: 51, to: 60 },
  })
  expect(at(await get('/customers?page=3'), 'meta.links.4')).toMatchObject({ url: null, label: 'Next' })
})

it('returns every item exactly once, page by page', async () => {
  const ids: unknown[] = []
  for (let url: unknown = '/customers'; typeof url === 'string'; ) {
    const answer = await get(url.replace(emulator.baseUrl, ''))
    const data = at(answer, 'data')
    ids.push(...(Array.isArray(data) ? data.map(({ id }: { id: string }) => id) : []))
    url = at(answer, 'links.next')
  }
  expect(ids).toHaveLength(60)
  expect(new Set(ids).size).toBe(60)
})

it('returns an empty page for an empty list', async () => {
  expect((await get('/discounts')).body).toMatchObject({
    data: [],
    links: { prev: null, next: null },
    meta: { current_page: 1, from: 0, to: 0, last_page: 1, total: 0 },
  })
  emulator.control.useDialect({
    ...dialects.default,
    paging: { ...dialects.default.paging, emptyRange: null },
  })
  expect((await get('/discounts')).body).toMatchObject({ meta: { from: null, to: null } })
})

it('returns an empty page, the last page, or a refusal after the last page', async () => {
  expect((await get('/customers?page=4')).body).toMatchObject({ data: [], links: { next: null } })
  emulator.control.useDialect('plain')
  expect((await get('/customers?page=4')).body).toMatchObject({ meta: { current_page: 3 } })
  expect((await get('/customers?page=2.5')).body).toMatchObject({ meta: { current_page: 2 } })
  emulator.control.useDialect('strict')
  expect((await get('/customers?page=4')).status).toBe(422)
})

it('links to the host that was requested', async () => {
  const { port } = new URL(emulator.baseUrl)
  const answer = await fetch(`http://localhost:${port}/v1/customers`, {
    headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
  })
  expect(await answer.json()).toMatchObject({
    links: { next: `http://localhost:${port}/v1/customers?page=2` },
  })
})

it('links only the nearest pages of a long list', async () => {
  emulator.control.setTotals({ customers: 1_000_000 })
  const answer = await get('/customers?page=20000')
  const links = at(answer, 'meta.links')
  expect(Array.isArray(links) && links.map(({ label }: { label: string }) => label)).toEqual([
    'Previous',
    ...[1, 2, 19997, 19998, 19999, 20000, 20001, 20002, 20003, 39999, 40000].map(String),
    'Next',
  ])
})
