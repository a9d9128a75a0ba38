import { expect } from 'vitest'
import { describeRules, eachDiscount, everyOperation, ids, service } from './rule-suite.ts'

describeRules({
  Authentication: [
    {
      statement: 'every request carries Authorization: Bearer <ACCESS_TOKEN>',
      holds: async () => {
        await everyOperation()
        for (const { headers } of service.sent) {
          expect(headers.get('authorization')).toBe(`Bearer ${service.accessToken}`)
        }
        const refused = await service.raw.send('GET', '/customers', {
          headers: { 'content-type': 'application/json', accept: 'application/json' },
        })
        expect(Math.floor(refused.status / 100)).toBe(4)
      },
    },
    {
      statement: 'every request carries Content-Type: application/json',
      holds: async () => {
        await everyOperation()
        for (const { headers } of service.sent) expect(headers.get('content-type')).toBe('application/json')
      },
    },
    {
      statement: 'list requests also carry Accept: application/json',
      holds: async () => {
        await everyOperation()
        const lists = service.sent.filter(({ url }) => /(keys|discounts|customers)$/.test(url.pathname))
        expect(lists).toHaveLength(3)
        for (const { headers } of lists) expect(headers.get('accept')).toBe('application/json')
      },
    },
  ],
  Limits: [
    {
      statement: 'the default page size of paginated responses is 25 per page',
      holds: async () => {
        for (const list of ['discounts', 'customers'] as const) {
          const { data, meta } = await service.commerce[list].list()
          expect(meta.per_page).toBe(25)
          expect(data).toHaveLength(Math.min(25, meta.total))
        }
      },
    },
    {
      statement: 'activation_limit caps the activations of its license',
      needsEmulator: true,
      holds: async () => {
        for (let seat = 0; seat < 5; seat += 1) await service.raw.activate(`Device ${seat}`)
        expect(ids(await service.raw.keys())).toHaveLength(3)
      },
    },
    {
      statement: 'max_redemptions null means no cap is set',
      needsEmulator: true,
      holds: async () => {
        const caps = new Set<string>()
        await eachDiscount(({ max_redemptions }) => caps.add(typeof max_redemptions))
        expect(caps).toEqual(new Set(['number', 'object']))
      },
    },
  ],
  Versioning: [
    {
      statement: 'the version is carried in the address: the base path segment is v1',
      holds: async () => {
        expect(new URL(service.baseUrl).pathname).toMatch(/\/v1$/)
        await everyOperation()
        for (const { url } of service.sent) expect(url.href.startsWith(`${service.baseUrl}/`)).toBe(true)
      },
    },
    {
      statement: 'without the version segment there is nothing',
      needsEmulator: true,
      holds: async () => {
        const response = await fetch(`${service.emulator?.origin}/customers`, {
          headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
        })
        expect(response.status).toBe(404)
      },
    },
  ],
})
