import { describe, expect, it } from 'vitest'
import { CommerceError, createCommerceClient } from '../../src/index.ts'
import { errorOf } from '../error-of.ts'
import { keyId, licenseId } from '../samples.ts'
import { json, startService } from '../service.ts'

const nowhere = 'https://commerce.example/v1'

describe('the message of an error', () => {
  it('names the call, the status and the field, and no unknown values', async () => {
    const service = await startService(json({ data: [{ id: 7 }] }))
    const { customers } = createCommerceClient({ baseUrl: service.baseUrl })
    const wrong = await errorOf(customers.list())
    expect(wrong.message).toMatch(/ \(customers\.list, status 200, field data\[0\]\.id\)\.$/)
    const refused = await startService(json({}, 403))
    const { licenses: closed } = createCommerceClient({ baseUrl: refused.baseUrl })
    expect((await errorOf(closed.keys(licenseId))).message).toMatch(/ \(licenses\.keys, status 403\)\.$/)
  })

  it('says that the request timed out', async () => {
    const client = createCommerceClient({ baseUrl: nowhere, fetch: () => new Promise(() => {}), timeout: 20 })
    const late = await errorOf(client.licenses.keys(licenseId))
    expect(late.message).toMatch(/ \(licenses\.keys, timeout\)\.$/)
    expect('cause' in late).toBe(false)
  })

  it('is a complete sentence even without details', () => {
    const { message, bodyIsCut, field } = new CommerceError('unreachable')
    expect(message).toMatch(/[a-z]\.$/)
    expect([bodyIsCut, field]).toEqual([false, null])
  })
})

describe('every call', () => {
  const { licenses, customers, discounts } = createCommerceClient({
    baseUrl: nowhere,
    fetch: async () => new Response('{}', { status: 403 }),
  })
  it.each([
    ['licenses.keys', () => licenses.keys(licenseId)],
    ['licenses.key', () => licenses.key(licenseId, keyId)],
    ['licenses.activate', () => licenses.activate(licenseId, { name: 'Laptop' })],
    ['licenses.validate', () => licenses.validate(licenseId, { key: keyId })],
    ['licenses.deactivate', () => licenses.deactivate(licenseId, { key: keyId })],
    ['customers.list', () => customers.list()],
    ['discounts.list', () => discounts.list()],
  ])('%s is named by its error', async (operation, call) => {
    expect(await errorOf(call())).toMatchObject({ code: 'unauthorized', operation })
  })

  it.each([
    ['activationId', () => licenses.key(licenseId, 'laptop')],
    ['key', () => licenses.validate(licenseId, { key: 'laptop' })],
    ['key', () => licenses.deactivate(licenseId, { key: 'laptop' })],
    ['name is blank', () => licenses.activate(licenseId, { name: ' ' })],
    ['page', () => customers.list({ page: 0 })],
  ])('names the argument it can’t use: %s', async (hint, call) => {
    const error = await errorOf(call())
    expect(error.code).toBe('invalid-argument')
    expect(error.hint).toMatch(new RegExp(`\\b${hint}\\b`))
    expect(error.message).toContain(`${error.hint}).`)
  })
})

it('a letter whose bytes arrive separately is read correctly', async () => {
  const at = { created_at: '2026-11-01T12:00:00.000000Z', updated_at: '2026-11-01T12:00:00.000000Z' }
  const bytes = new TextEncoder().encode(JSON.stringify({ data: { ...at, id: keyId, name: 'Büro' } }))
  const middle = bytes.indexOf(0xc3) + 1
  const service = await startService((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(bytes.slice(0, middle))
    setTimeout(() => response.end(bytes.slice(middle)), 30)
  })
  const { licenses } = createCommerceClient({ baseUrl: service.baseUrl })
  expect((await licenses.key(licenseId, keyId)).name).toBe('Büro')
})
