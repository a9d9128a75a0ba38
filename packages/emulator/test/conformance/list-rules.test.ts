import { expect } from 'vitest'
import { at } from '../raw-requests.ts'
import { describeRules, eachDiscount, expectSent, ids, service, textOf } from './rule-suite.ts'

describeRules({
  'Discount fields': [
    {
      statement: 'total_formatted of a PERCENTAGE discount is the amount followed by a percent sign',
      holds: () =>
        eachDiscount(({ type, amount, total_formatted }) => {
          if (type === 'PERCENTAGE') expect(total_formatted).toBe(`${amount}%`)
        }),
    },
    {
      statement: 'duration_in_months is used when duration is REPEATING, null otherwise',
      holds: () =>
        eachDiscount(({ duration, duration_in_months }) => {
          expect(duration_in_months === null).toBe(duration !== 'REPEATING')
        }),
    },
    {
      statement: 'the listed status of a discount is capitalised (Active)',
      holds: () => eachDiscount(({ status }) => expect(status).toMatch(/^[A-Z][a-z]/)),
    },
  ],
  'Pagination envelope': [
    {
      statement: 'prev is null on the first page and next is null on the last page',
      holds: async () => {
        const first = await service.raw.send('GET', '/customers')
        const lastPage = at(first, 'meta.last_page')
        const last = await service.raw.send('GET', `/customers?page=${lastPage}`)
        expect(at(first, 'links.prev')).toBeNull()
        expect(at(last, 'links.next')).toBeNull()
        if (lastPage !== 1) {
          expect(at(first, 'links.next')).not.toBeNull()
          expect(at(last, 'links.prev')).not.toBeNull()
        }
      },
    },
    {
      statement: 'first, last, prev and next lead to those pages',
      holds: async () => {
        const page = await service.raw.send('GET', '/customers?page=2')
        const follow = async (link: string): Promise<unknown> => {
          const { pathname, search } = new URL(textOf(page, `links.${link}`))
          const path = pathname.slice(new URL(service.baseUrl).pathname.length)
          return at(await service.raw.send('GET', `${path}${search}`), 'meta.current_page')
        }
        expect(await Promise.all(['first', 'last', 'prev', 'next'].map(follow))).toEqual([
          1,
          at(page, 'meta.last_page'),
          1,
          3,
        ])
      },
    },
    {
      statement: 'current_page, from and to are where the page stands; last_page is the number of pages',
      holds: async () => {
        const page = await service.raw.send('GET', '/customers?page=2')
        const [perPage, total] = [Number(at(page, 'meta.per_page')), Number(at(page, 'meta.total'))]
        expect(at(page, 'meta.current_page')).toBe(2)
        expect(at(page, 'meta.from')).toBe(perPage + 1)
        expect(at(page, 'meta.to')).toBe(perPage + ids(page).length)
        expect(at(page, 'meta.last_page')).toBe(Math.ceil(total / perPage))
      },
    },
    {
      statement: 'total is the number of items, all of them on some page',
      needsEmulator: true,
      holds: async () => {
        const seen = new Set<string>()
        let total = 0
        for await (const page of service.commerce.customers.pages()) {
          for (const { id } of page.data) seen.add(id)
          total = page.meta.total
        }
        expect(seen.size).toBe(total)
        expect(total).toBe(60)
      },
    },
    {
      statement: 'path is the address of the list without page parameter',
      holds: async () => {
        const page = await service.raw.send('GET', '/customers?page=2')
        expect(at(page, 'meta.path')).toBe(`${service.baseUrl}/customers`)
      },
    },
    {
      statement: 'meta.links has Previous, page numbers and Next; the present page is active',
      holds: async () => {
        const { meta } = await service.commerce.customers.list({ page: 2 })
        const labels = meta.links.map(({ label }) => label)
        expect(labels.at(0)).toBe('Previous')
        expect(labels.at(-1)).toBe('Next')
        for (const label of labels.slice(1, -1)) expect(label).toMatch(/^\d+$/)
        expect(meta.links.filter(({ active }) => active).map(({ label }) => label)).toEqual(['2'])
      },
    },
    {
      statement: 'the Previous and Next entries have a null url when there is no such page',
      holds: async () => {
        const { meta: first } = await service.commerce.customers.list()
        const { meta: last } = await service.commerce.customers.list({ page: first.last_page })
        expect(first.links.at(0)?.url).toBeNull()
        expect(last.links.at(-1)?.url).toBeNull()
        expect(first.links.at(-1)?.url === null).toBe(first.last_page === 1)
      },
    },
  ],
  'List endpoints': [
    {
      statement: 'List all discounts is GET /discounts with an optional page',
      holds: async () => {
        await service.commerce.discounts.list()
        expectSent('GET', '/discounts', '')
        await service.commerce.discounts.list({ page: 2 })
        expectSent('GET', '/discounts?page=2', '')
      },
    },
    {
      statement: 'List customers is GET /customers with an optional page',
      holds: async () => {
        await service.commerce.customers.list()
        expectSent('GET', '/customers', '')
        await service.commerce.customers.list({ page: 2 })
        expectSent('GET', '/customers?page=2', '')
      },
    },
  ],
})
