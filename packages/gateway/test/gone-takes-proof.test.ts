import { randomUUID } from 'node:crypto'
import { createCommerceClient } from '@latchkey/commerce'
import { type Emulator, type FaultRule, startEmulator } from '@latchkey/emulator'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../emulator/test/dialects.ts'
import {
  accessToken,
  keyName,
  leaseClaims,
  signing,
  signingKey,
  startGateway,
  withNonce,
} from './gateway-fixture.ts'
import { type StartedGateway, startGatewayHere } from './gateway-process.ts'

let emulator: Emulator
let gateway: StartedGateway
beforeAll(async () => {
  emulator = await startEmulator({ accessToken, customers: 0, discounts: 0 })
  gateway = await startGatewayHere(
    {
      LATCHKEY_UPSTREAM: emulator.baseUrl,
      LATCHKEY_ACCESS_TOKEN: accessToken,
      LATCHKEY_SIGNING_KEY: JSON.stringify(signingKey),
      LATCHKEY_LIMIT_PER_LICENSE: '0',
    },
    { endsWithTest: false },
  )
}, 60_000)
afterAll(async () => {
  await gateway.stop()
  await emulator.close()
})
beforeEach(() => emulator.control.reset())

/** Shows a key through the gateway, and reads the lease that came with the answer. */
async function show(licenseId: string, keyId: string) {
  const answer = await fetch(`${gateway.baseUrl}/licenses/${licenseId}/keys/${keyId}`, {
    headers: withNonce,
  })
  const lease = answer.headers.get('latchkey-lease')
  const told = await leaseClaims(lease, { licenseId, keyId })
  const claims = typeof told === 'object' ? told : null
  return { status: answer.status, type: answer.headers.get('content-type'), claims, hasLease: lease !== null }
}

async function deactivate(licenseId: string, keyId: string) {
  return await fetch(`${gateway.baseUrl}/licenses/${licenseId}/deactivate`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: keyId }),
  })
}

/** Responses of a proxy between gateway and service to every request. */
const boxes = (
  [
    [404, 'json'],
    [404, 'html'],
    [404, 'empty'],
    [410, 'json'],
    [410, 'text'],
    [400, 'json'],
    [409, 'empty'],
    [422, 'html'],
    [422, 'json'],
  ] as const
).map(([status, body]): [string, FaultRule] => [`${status} ${body}`, { fault: 'status', status, body }])

describe('a proxy that answers every request', () => {
  test.each(boxes)('with %s revokes no license and loses no seat', async (_what, fault) => {
    const licenseId = emulator.demoLicense.id
    const keyId = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject(fault)
    const shown = await show(licenseId, keyId)
    expect(shown.hasLease).toBe(false)
    // Old app versions trust a 404 in JSON.
    if (shown.status === 404 || shown.status === 410) expect(shown.type).toMatch(/^text\/plain/)
    const freed = await deactivate(licenseId, keyId)
    expect(freed.ok).toBe(false)
    if (freed.status === 404 || freed.status === 410) {
      expect(freed.headers.get('content-type')).toMatch(/^text\/plain/)
    }
    emulator.control.faults.clear()
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    expect(await show(licenseId, keyId)).toMatchObject({ status: 200, hasLease: false })
  })
})

describe('a key that is gone', () => {
  test.each([
    ['404', { fault: 'status', status: 404 }],
    ['404 in HTML', { fault: 'status', status: 404, body: 'html' }],
    ['410', { fault: 'status', status: 410 }],
    ['422', { fault: 'status', status: 422 }],
    ['400 in plain text', { fault: 'status', status: 400, body: 'text' }],
  ] as const)(
    'is signed as gone if the list does not contain it and the request is refused with %s',
    async (_what, fault) => {
      const licenseId = emulator.demoLicense.id
      emulator.control.addKey(licenseId, 'Another device [fedcba9876543210]')
      const keyId = emulator.control.addKey(licenseId, keyName).id
      emulator.control.removeKey(licenseId, keyId)
      emulator.control.faults.inject({ ...fault, operation: 'key' })
      const shown = await show(licenseId, keyId)
      expect(shown).toMatchObject({
        type: 'application/json',
        claims: { ent: false, sta: 'GONE', key: keyId },
      })
      expect(shown.status).toBe(fault.status === 410 ? 410 : 404)
    },
  )

  test.each<[string, FaultRule]>([
    ['is refused', { fault: 'status', status: 403 }],
    ['is down', { fault: 'status', status: 503 }],
    ['is a page', { fault: 'html' }],
    ['is cut off', { fault: 'truncated' }],
    ['has no data', { fault: 'missing-fields', fields: ['data'] }],
    ['has an invalid format', { fault: 'wrong-types', fields: ['data'] }],
    ['has an unreadable item', { fault: 'set-fields', fields: { 'data.0.id': 7 } }],
    ['reports a higher total', { fault: 'set-fields', fields: { meta: { total: 9 } } }],
  ])('is not signed as gone if the list %s', async (_what, fault) => {
    const licenseId = emulator.demoLicense.id
    emulator.control.addKey(licenseId, 'Another device')
    const keyId = emulator.control.addKey(licenseId, keyName).id
    emulator.control.removeKey(licenseId, keyId)
    emulator.control.faults.inject({ ...fault, operation: 'keys' })
    expect(await show(licenseId, keyId)).toMatchObject({ hasLease: false })
    expect((await deactivate(licenseId, keyId)).headers.get('content-type')).toMatch(/^text\/plain/)
  })

  test('is not signed as gone if the list has its id in uppercase', async () => {
    const licenseId = emulator.demoLicense.id
    const keyId = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject({ fault: 'status', status: 404, operation: 'key' })
    emulator.control.faults.inject({
      fault: 'set-fields',
      fields: { 'data.0.id': keyId.toUpperCase() },
      operation: 'keys',
    })
    expect(await show(licenseId, keyId)).toMatchObject({ hasLease: false })
  })

  test('gets a proven 404 when it is deactivated again', async () => {
    const licenseId = emulator.demoLicense.id
    const keyId = emulator.control.addKey(licenseId, keyName).id
    expect((await deactivate(licenseId, keyId)).status).toBe(200)
    const again = await deactivate(licenseId, keyId)
    expect([again.status, await again.json()]).toEqual([404, { error: 'not-found' }])
  })

  test('counts as deactivated after an empty response if the list no longer has it', async () => {
    const licenseId = emulator.demoLicense.id
    const keyId = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate', when: 'after-acting' })
    expect((await deactivate(licenseId, keyId)).status).toBe(200)
    expect(emulator.control.keys(licenseId)).toEqual([])

    // The same response, but the service did nothing.
    emulator.control.faults.clear()
    const kept = emulator.control.addKey(licenseId, keyName).id
    emulator.control.faults.inject({ fault: 'no-content', operation: 'deactivate' })
    expect((await deactivate(licenseId, kept)).status).toBe(502)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
  })
})

describe('a key that the service refuses and still lists', () => {
  const refusals = boxes.map(([what, fault]): [string, FaultRule, number] => [
    what,
    fault,
    what.endsWith('json') ? 422 : 502,
  ])
  const answersAbout = async (fault: FaultRule, operations: readonly FaultRule['operation'][]) => {
    const licenseId = emulator.demoLicense.id
    const keyId = emulator.control.addKey(licenseId, keyName).id
    for (const operation of operations) emulator.control.faults.inject({ ...fault, operation })
    const shown = await show(licenseId, keyId)
    expect(shown).toMatchObject({ claims: null, hasLease: false })
    const freed = await deactivate(licenseId, keyId)
    expect(emulator.control.keys(licenseId)).toHaveLength(1)
    return [shown, { status: freed.status, type: freed.headers.get('content-type') }]
  }

  test.each(refusals)('with %s is never called gone', async (_what, fault, status) => {
    const type = expect.stringContaining(status === 422 ? 'application/json' : 'text/plain')
    const answers = await answersAbout(fault, ['key', 'deactivate', 'validate'])
    expect(answers).toMatchObject([
      { status, type },
      { status, type },
    ])
  })

  const pages = refusals.filter(([, , status]) => status === 502)
  const [, json] = refusals.find(([, , status]) => status === 422) ?? []
  test.each(pages)(
    'with %s gets a 502, even if the service itself refuses to validate it',
    async (_what, fault) => {
      emulator.control.faults.inject({ ...(json ?? fault), operation: 'validate' })
      const [shown, freed] = await answersAbout(fault, ['key', 'deactivate'])
      expect([shown?.status, freed?.status]).toEqual([502, 502])
    },
  )

  test.each(refusals)('with %s gets a 502 if it is valid', async (_what, fault) => {
    const [shown, freed] = await answersAbout(fault, ['key', 'deactivate'])
    expect([shown?.status, freed?.status]).toEqual([502, 502])
  })
})

describe('an id that no key has', () => {
  test('is signed as gone without asking the service, so that an app can check the signature', async () => {
    const nil = '00000000-0000-0000-0000-000000000000'
    emulator.control.faults.inject({ fault: 'status', status: 503 })
    const shown = await show(emulator.demoLicense.id, nil)
    expect(shown).toMatchObject({ status: 404, claims: { ent: false, sta: 'GONE', key: nil } })
    expect(emulator.control.requests()).toEqual([])
  })
})

describe('a license with many devices behind the gateway', () => {
  test('is listed in several responses, so that no request exceeds the app’s timeout', async () => {
    emulator.control.useDialect(dialects.strict)
    const keys = Array.from({ length: 60 }, (_, index) => `Device ${index}`)
    const licenseId = emulator.control.createLicense({ activation_limit: 100, keys }).id
    emulator.control.faults.inject({ fault: 'delay', delayMs: 1_050, operation: 'keys' })
    gateway.clearLines()
    const list = await createCommerceClient({ baseUrl: gateway.baseUrl }).licenses.keyList(licenseId)
    expect(list).toMatchObject({ isWhole: true, nextPage: null })
    expect(list.keys).toHaveLength(60)
    expect(gateway.requestLines().length).toBeGreaterThan(1)
  })

  test('is listed from the requested page, or from the first one if the page is invalid', async () => {
    emulator.control.useDialect(dialects.strict)
    const keys = Array.from({ length: 60 }, (_, index) => `Device ${index}`)
    const licenseId = emulator.control.createLicense({ activation_limit: 100, keys }).id
    const count = async (query: string) => {
      const answer = await fetch(`${gateway.baseUrl}/licenses/${licenseId}/keys${query}`)
      return (await answer.json()).data.length
    }
    expect(await count('?page=3')).toBe(10)
    expect(await count('?page=2')).toBe(35)
    for (const query of ['', '?page=0', '?page=x', '?page=-1', '?per_page=1', '?page=1e9']) {
      expect(await count(query)).toBe(60)
    }
  })

  test('reports that an unreadable item was left out of the list', async () => {
    const licenseId = emulator.demoLicense.id
    emulator.control.addKey(licenseId, 'One')
    emulator.control.addKey(licenseId, 'Two')
    emulator.control.faults.inject({ fault: 'set-fields', fields: { 'data.1.id': 7 }, operation: 'keys' })
    const list = await createCommerceClient({ baseUrl: gateway.baseUrl }).licenses.keyList(licenseId)
    expect(list).toMatchObject({ isWhole: false, unreadableCount: 1 })
    expect(list.keys).toHaveLength(1)
  })
})

/** A gateway whose devices ask for keys that their licenses no longer have. */
async function startWithLicenses(count: number) {
  const { emulator, call, lines } = await startGateway({ signing })
  const licenseIds = Array.from({ length: count }, () => emulator.control.createLicense({ keys: [] }).id)
  const logged = async (request: Promise<Response>) => {
    const { status, headers } = await request
    const { level, remark } = lines.at(-1) ?? {}
    return { status, isSigned: headers.has('latchkey-lease'), level, remark }
  }
  const show = (id = '') =>
    logged(call('GET', `/licenses/${id}/keys/${randomUUID()}`, { headers: withNonce }))
  const deactivate = (id = '') =>
    logged(call('DELETE', `/licenses/${id}/deactivate`, { json: { key: randomUUID() } }))
  const validate = async () => {
    const { id } = emulator.control.createLicense({ keys: [keyName] })
    const key = emulator.control.keys(id)[0]?.id ?? ''
    expect((await call('POST', `/licenses/${id}/validate`, { json: { key } })).status).toBe(200)
    return { id, key }
  }
  return { emulator, licenseIds, show, deactivate, validate }
}

const unproven = { status: 502, isSigned: false }

test('a gateway that is pointed at another store calls no customer’s key gone, and the log says so', async () => {
  const { licenseIds, show, deactivate } = await startWithLicenses(6)
  const told = []
  for (const licenseId of licenseIds) told.push(await show(licenseId))
  expect(told).toMatchObject([
    ...Array(2).fill({ ...unproven, level: 'warn', remark: 'no-keys-listed' }),
    ...Array(4).fill({ ...unproven, level: 'error', remark: 'no-keys-at-all' }),
  ])
  // That takes no license from anyone.
  expect(await deactivate(licenseIds[0])).toMatchObject({ status: 404, remark: 'no-keys-at-all' })
})

test('an empty list proves that a key is gone if this license was seen with one, and the service knows others', async () => {
  const { emulator, licenseIds, show, validate } = await startWithLicenses(3)
  const left = await validate()
  emulator.control.removeKey(left.id, left.key)
  const gone = { status: 404, isSigned: true, level: 'info', remark: 'no-keys-listed' }
  expect(await show(left.id)).toEqual(gone)
  // The service knowing another license proves nothing.
  for (const licenseId of licenseIds.slice(0, 2)) expect(await show(licenseId)).toMatchObject(unproven)
  // The third one in a row is no coincidence.
  expect(await show(left.id)).toMatchObject({ ...unproven, level: 'error' })
  await validate()
  expect(await show(left.id)).toEqual(gone)
})
