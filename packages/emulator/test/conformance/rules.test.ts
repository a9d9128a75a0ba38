import { isCommerceError } from '@latchkey/commerce'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EmulatorControl } from '../../src/index.ts'
import { at, keyIdOf, type RawAnswer } from '../raw-requests.ts'
import { openServiceUnderTest, type ServiceUnderTest } from './service-under-test.ts'

/** The test of one statement. */
type Rule = (() => Promise<void>) | { readonly withControl: (control: EmulatorControl) => Promise<void> }

/** A statement that can only be tested with control over the service. */
const needsControl = (withControl: (control: EmulatorControl) => Promise<void>): Rule => ({ withControl })

let service: ServiceUnderTest
let keyIds: string[]

/** Activates a device. Its seat is freed after the row. */
async function activate(name = 'Conformance'): Promise<RawAnswer> {
  const answer = await service.raw.activate(name)
  freeLater(keyIdOf(answer))
  return answer
}

/** Frees a key's seat after the row. */
function freeLater(keyId: string): void {
  keyIds.push(keyId)
}

/** The ids of a list's items. */
const ids = (answer: RawAnswer): unknown[] => {
  const data = at(answer, 'data')
  return Array.isArray(data) ? data.map((item: { id?: unknown }) => item.id) : []
}
/** The value at a dotted path, as text. */
const textOf = (answer: RawAnswer, path: string): string => String(at(answer, path))

const rules: Record<string, Record<string, Rule>> = {
  'What the service does': {
    'it answers with JSON': async () => {
      const answer = await service.raw.send('GET', '/customers')
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.body).toBeDefined()
    },
    'each license has an activation limit and an activation usage count': async () => {
      const answer = await activate()
      expect(Number(at(answer, 'license.activation_usage'))).toBeLessThanOrEqual(
        Number(at(answer, 'license.activation_limit')),
      )
    },
    'keys can be listed, shown, activated, validated and deactivated per license': async () => {
      const { licenses } = service.commerce
      const { key } = await licenses.activate(service.licenseId, { name: 'Conformance' })
      freeLater(key.id)
      expect((await licenses.keys(service.licenseId)).map(({ id }) => id)).toContain(key.id)
      expect((await licenses.key(service.licenseId, key.id)).name).toBe('Conformance')
      expect((await licenses.validate(service.licenseId, { key: key.id })).key.id).toBe(key.id)
      await licenses.deactivate(service.licenseId, { key: key.id })
      expect((await licenses.keys(service.licenseId)).map(({ id }) => id)).not.toContain(key.id)
    },
  },
  'License fields': {
    'activation_usage is the number of activations in use': async () => {
      const first = await activate()
      const second = await activate()
      const usage = Number(at(first, 'license.activation_usage'))
      expect(at(second, 'license.activation_usage')).toBe(usage + 1)
      await service.raw.deactivate(keyIdOf(second))
      const answer = await service.raw.validate(keyIdOf(first))
      expect(at(answer, 'license.activation_usage')).toBe(usage)
    },
    'activation_usage_formatted has the form "<activation_usage>/<activation_limit>"': async () => {
      const answer = await activate()
      const [usage, limit] = [
        textOf(answer, 'license.activation_usage'),
        textOf(answer, 'license.activation_limit'),
      ]
      expect(at(answer, 'license.activation_usage_formatted')).toBe(`${usage}/${limit}`)
    },
    'suspended_at is null when not suspended': needsControl(async (control) => {
      const answer = await activate()
      expect(at(answer, 'license.suspended_at')).toBeNull()
      control.suspend(service.licenseId)
      expect(at(await service.raw.validate(keyIdOf(answer)), 'license.suspended_at')).not.toBeNull()
    }),
    'status is uppercase; ACTIVE is a known value': async () => {
      const answer = await activate()
      expect(textOf(answer, 'license.status')).toBe(textOf(answer, 'license.status').toUpperCase())
      expect(at(answer, 'license.status')).toBe('ACTIVE')
    },
    'name is the label given at activation': async () => {
      const answer = await activate('Ada’s Laptop [9f2c1a77b0e4d311] 💻')
      expect(at(answer, 'key.name')).toBe('Ada’s Laptop [9f2c1a77b0e4d311] 💻')
      expect(at(await service.raw.key(keyIdOf(answer)), 'data.name')).toBe(at(answer, 'key.name'))
    },
  },
  'States and transitions': {
    'activating checks the key and usage limits and sets the status to ACTIVE': needsControl(
      async (control) => {
        const { id } = control.createLicense({ status: 'INACTIVE', activation_limit: 1 })
        expect(at(await service.raw.activate('Conformance', id), 'license.status')).toBe('ACTIVE')
        expect(Math.floor((await service.raw.activate('Conformance', id)).status / 100)).toBe(4)
      },
    ),
  },
  'License key endpoints': {
    'List keys is GET /licenses/{id}/keys and gives data, an array of LicenseKey': async () => {
      const keyId = keyIdOf(await activate())
      const answer = await service.raw.keys()
      expect(ids(answer)).toContain(keyId)
      await service.commerce.licenses.keys(service.licenseId)
      expectSent('GET', `/licenses/${service.licenseId}/keys`, '')
    },
    'Activate a key is POST /licenses/{id}/activate with name and gives the license and the key created':
      async () => {
        const { key, license } = await service.commerce.licenses.activate(service.licenseId, { name: 'X' })
        freeLater(key.id)
        expect(license.id).toBe(service.licenseId)
        expectSent('POST', `/licenses/${service.licenseId}/activate`, '{"name":"X"}')
      },
    'Validate a key is POST /licenses/{id}/validate with key and gives the license and the key': async () => {
      const id = keyIdOf(await activate())
      const { key, license } = await service.commerce.licenses.validate(service.licenseId, { key: id })
      expect([license.id, key.id]).toEqual([service.licenseId, id])
      expectSent('POST', `/licenses/${service.licenseId}/validate`, `{"key":"${id}"}`)
    },
    'Show key is GET /licenses/{id}/keys/{key} and gives data, one LicenseKey': async () => {
      const id = keyIdOf(await activate())
      expect(at(await service.raw.key(id), 'data.id')).toBe(id)
      await service.commerce.licenses.key(service.licenseId, id)
      expectSent('GET', `/licenses/${service.licenseId}/keys/${id}`, '')
    },
    'Deactivate a key is DELETE /licenses/{id}/deactivate with key and gives a message that says so':
      async () => {
        const id = keyIdOf(await activate())
        const { message } = await service.commerce.licenses.deactivate(service.licenseId, { key: id })
        expect(message).toMatch(/deactivated/i)
        expectSent('DELETE', `/licenses/${service.licenseId}/deactivate`, `{"key":"${id}"}`)
        expect(ids(await service.raw.keys())).not.toContain(id)
      },
    'name is required to activate': async () => {
      const path = `/licenses/${service.licenseId}/activate`
      const answer = await service.raw.send('POST', path, { body: {} })
      expect(Math.floor(answer.status / 100)).toBe(4)
      const refused = service.commerce.licenses.activate(service.licenseId, { name: '' })
      await expect(refused).rejects.toMatchObject({ code: 'invalid-argument' })
    },
    'key is required to validate and to deactivate': async () => {
      for (const [method, verb] of [
        ['POST', 'validate'],
        ['DELETE', 'deactivate'],
      ] as const) {
        const answer = await service.raw.send(method, `/licenses/${service.licenseId}/${verb}`, {
          body: {},
        })
        expect(Math.floor(answer.status / 100)).toBe(4)
      }
    },
    'validation checks that the key is valid': async () => {
      const id = keyIdOf(await activate())
      await service.raw.deactivate(id)
      const error = await service.commerce.licenses
        .validate(service.licenseId, { key: id })
        .catch((reason: unknown) => reason)
      expect(isCommerceError(error)).toBe(true)
    },
  },
  'Discount fields': {
    'total_formatted of a PERCENTAGE discount is the amount followed by a percent sign': () =>
      eachDiscount(({ type, amount, total_formatted }) => {
        if (type === 'PERCENTAGE') expect(total_formatted).toBe(`${amount}%`)
      }),
    'duration_in_months is used when duration is REPEATING, null otherwise': () =>
      eachDiscount(({ duration, duration_in_months }) => {
        expect(duration_in_months === null).toBe(duration !== 'REPEATING')
      }),
    'the listed status of a discount is capitalised (Active)': () =>
      eachDiscount(({ status }) => expect(status).toMatch(/^[A-Z][a-z]/)),
  },
  'Pagination envelope': {
    'prev is null on the first page and next is null on the last page': async () => {
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
    'first, last, prev and next lead to those pages': async () => {
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
    'current_page, from and to are where the page stands; last_page is the number of pages': async () => {
      const page = await service.raw.send('GET', '/customers?page=2')
      const [perPage, total] = [Number(at(page, 'meta.per_page')), Number(at(page, 'meta.total'))]
      expect(at(page, 'meta.current_page')).toBe(2)
      expect(at(page, 'meta.from')).toBe(perPage + 1)
      expect(at(page, 'meta.to')).toBe(perPage + ids(page).length)
      expect(at(page, 'meta.last_page')).toBe(Math.ceil(total / perPage))
    },
    'total is the number of items, all of them on some page': needsControl(async () => {
      const seen = new Set<string>()
      let total = 0
      for await (const page of service.commerce.customers.pages()) {
        for (const { id } of page.data) seen.add(id)
        total = page.meta.total
      }
      expect(seen.size).toBe(total)
      expect(total).toBe(60)
    }),
    'path is the address of the list without page parameter': async () => {
      const page = await service.raw.send('GET', '/customers?page=2')
      expect(at(page, 'meta.path')).toBe(`${service.baseUrl}/customers`)
    },
    'meta.links has Previous, page numbers and Next; the present page is active': async () => {
      const { meta } = await service.commerce.customers.list({ page: 2 })
      const labels = meta.links.map(({ label }) => label)
      expect(labels.at(0)).toBe('Previous')
      expect(labels.at(-1)).toBe('Next')
      for (const label of labels.slice(1, -1)) expect(label).toMatch(/^\d+$/)
      expect(meta.links.filter(({ active }) => active).map(({ label }) => label)).toEqual(['2'])
    },
    'the Previous and Next entries have a null url when there is no such page': async () => {
      const { meta: first } = await service.commerce.customers.list()
      const { meta: last } = await service.commerce.customers.list({ page: first.last_page })
      expect(first.links.at(0)?.url).toBeNull()
      expect(last.links.at(-1)?.url).toBeNull()
      expect(first.links.at(-1)?.url === null).toBe(first.last_page === 1)
    },
  },
  'List endpoints': {
    'List all discounts is GET /discounts with an optional page': async () => {
      await service.commerce.discounts.list()
      expectSent('GET', '/discounts', '')
      await service.commerce.discounts.list({ page: 2 })
      expectSent('GET', '/discounts?page=2', '')
    },
    'List customers is GET /customers with an optional page': async () => {
      await service.commerce.customers.list()
      expectSent('GET', '/customers', '')
      await service.commerce.customers.list({ page: 2 })
      expectSent('GET', '/customers?page=2', '')
    },
  },
  Authentication: {
    'every request carries Authorization: Bearer <ACCESS_TOKEN>': async () => {
      await everyOperation()
      for (const { headers } of service.sent) {
        expect(headers.get('authorization')).toBe(`Bearer ${service.accessToken}`)
      }
      const refused = await service.raw.send('GET', '/customers', {
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      })
      expect(Math.floor(refused.status / 100)).toBe(4)
    },
    'every request carries Content-Type: application/json': async () => {
      await everyOperation()
      for (const { headers } of service.sent) expect(headers.get('content-type')).toBe('application/json')
    },
    'list requests also carry Accept: application/json': async () => {
      await everyOperation()
      const lists = service.sent.filter(({ url }) => /(keys|discounts|customers)$/.test(url.pathname))
      expect(lists).toHaveLength(3)
      for (const { headers } of lists) expect(headers.get('accept')).toBe('application/json')
    },
  },
  Limits: {
    'the default page size of paginated responses is 25 per page': async () => {
      for (const list of ['discounts', 'customers'] as const) {
        const { data, meta } = await service.commerce[list].list()
        expect(meta.per_page).toBe(25)
        expect(data).toHaveLength(Math.min(25, meta.total))
      }
    },
    'activation_limit caps the activations of its license': needsControl(async () => {
      for (let seat = 0; seat < 5; seat += 1) await service.raw.activate(`Device ${seat}`)
      expect(ids(await service.raw.keys())).toHaveLength(3)
    }),
    'max_redemptions null means no cap is set': needsControl(async () => {
      const caps = new Set<string>()
      await eachDiscount(({ max_redemptions }) => caps.add(typeof max_redemptions))
      expect(caps).toEqual(new Set(['number', 'object']))
    }),
  },
  Versioning: {
    'the version is carried in the address: the base path segment is v1': async () => {
      expect(new URL(service.baseUrl).pathname).toMatch(/\/v1$/)
      await everyOperation()
      for (const { url } of service.sent) expect(url.href.startsWith(`${service.baseUrl}/`)).toBe(true)
    },
    'without the version segment there is nothing': needsControl(async () => {
      const response = await fetch(`${new URL(service.baseUrl).origin}/customers`, {
        headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
      })
      expect(response.status).toBe(404)
    }),
  },
}

beforeAll(async () => {
  service = await openServiceUnderTest()
})
afterAll(() => service.close())
beforeEach(() => {
  keyIds = []
  service.sent.length = 0
})
afterEach(async () => {
  service.emulator?.control.reset()
  for (const keyId of keyIds) await service.raw.deactivate(keyId)
})

describe.each(Object.entries(rules))('%s', (_section, statements) => {
  it.for(Object.entries(statements))('%s', async ([statement, rule], { skip }) => {
    if (typeof rule === 'function') return rule()
    if (service.emulator) return rule.withControl(service.emulator.control)
    process.stdout.write(`Not tried, for it needs the emulator's control: ${statement}\n`)
    skip("it needs the emulator's control")
  })
})

/** Expects that this was the client's last request. */
function expectSent(method: string, path: string, body: string): void {
  const sent = service.sent.at(-1)
  expect(`${sent?.method} ${sent?.url.href}`).toBe(`${method} ${service.baseUrl}${path}`)
  expect(sent?.body).toBe(body)
}

/** Calls each operation of the client once. */
async function everyOperation(): Promise<void> {
  const { licenses, discounts, customers } = service.commerce
  const { licenseId } = service
  const { key } = await licenses.activate(licenseId, { name: 'Conformance' })
  await licenses.keys(licenseId)
  await licenses.key(licenseId, key.id)
  await licenses.validate(licenseId, { key: key.id })
  await licenses.deactivate(licenseId, { key: key.id })
  await discounts.list()
  await customers.list()
  expect(service.sent).toHaveLength(7)
}

type ShownDiscount = Awaited<ReturnType<ServiceUnderTest['commerce']['discounts']['list']>>['data'][number]

/** Checks every discount. */
async function eachDiscount(check: (discount: ShownDiscount) => void): Promise<void> {
  for await (const discount of service.commerce.discounts.all()) check(discount)
}
