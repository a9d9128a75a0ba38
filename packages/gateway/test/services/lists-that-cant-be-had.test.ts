import { dodo } from '@latchkey/services/dodo'
import type { ServiceName } from '@latchkey/services/environment'
import { describe, expect, test } from 'vitest'
import { pathIdOf } from '../../src/http/routes.ts'
import type { AllowRule, GatewayOptions } from '../../src/index.ts'
import { accessToken, keyName, signing, startService, withNonce } from '../gateway-fixture.ts'
import { adapterOf, fingerprint, gatewayOf, startFace } from './face-fixture.ts'

/** Answers in place of the service; `null` lets the service answer. */
type Box = (request: Request) => Response | null

const toList = (answer: () => Response): Box => {
  return ({ method, url }) => (method === 'GET' && new URL(url).pathname.endsWith('/keys') ? answer() : null)
}
const page = (status = 200, body = '<h1>Sign in</h1>'): Response =>
  new Response(body, { status, headers: { 'content-type': 'text/html' } })

async function startCommerce(box: Box) {
  const emulator = await startService()
  const fetchThrough = async (request: Request, init?: RequestInit) => box(request) ?? fetch(request, init)
  const upstream = { baseUrl: emulator.baseUrl, accessToken, fetch: fetchThrough }
  const gateway = gatewayOf(upstream, { signing })
  const seats = () => emulator.control.keys(emulator.demoLicense.id)
  return { gateway, license: gateway.of(emulator.licenseKey), seats }
}

const key = { id: '11111111-1111-4111-8111-111111111111', name: 'Studio' }
const elsewhere = { next: 'http://internal:8080/v1/keys?cursor=abc' }

describe('the commerce service’s list', () => {
  const unreadable: [string, () => Response][] = [
    ['has another form', () => Response.json({ data: { keys: [] } })],
    ['is larger than the gateway reads', () => Response.json({ data: Array(40_000).fill(key) })],
    ['goes on at another host', () => Response.json({ data: [key], links: elsewhere })],
  ]

  test.each(unreadable)('that %s costs no activation', async (_what, answer) => {
    const { gateway, license, seats } = await startCommerce(toList(answer))
    expect(await license.keys()).toMatchObject({ status: 403, body: { error: 'list-unreadable' } })
    expect(gateway.lines).toMatchObject([{ level: 'warn', code: 'list-unreadable' }])
    // Finding that out takes no seat.
    expect(seats()).toEqual([])
    expect(await license.activate(keyName)).toMatchObject({ status: 200 })
  })

  test.each(unreadable)('that %s never proves that a key is gone', async (_what, answer) => {
    const { license } = await startCommerce(toList(answer))
    expect(await license.key(key.id, withNonce)).toMatchObject({ status: 502, lease: null })
    expect(await license.validate(key.id, fingerprint, withNonce)).toMatchObject({ lease: null })
    expect(await license.deactivate(key.id)).toMatchObject({ status: 502 })
  })

  test.each([
    ['a 401', 401, '{"message":"Missing scope."}', 'error'],
    ['an empty 401', 401, null, 'error'],
    ['an empty 403', 403, null, 'warn'],
  ])(
    'that alone is refused with %s costs no activation, and is in the log',
    async (_what, status, body, level) => {
      const box = toList(() => new Response(body, { status }))
      const { gateway, license } = await startCommerce(box)
      expect(await license.keys()).toMatchObject({ status: 403, body: { error: 'list-not-allowed' } })
      expect(gateway.lines).toMatchObject([{ level, upstreamStatus: status }])
      expect(await license.activate(keyName)).toMatchObject({ status: 200 })
    },
  )

  test.each<[string, Box]>([
    ['is busy', toList(() => Response.json({}, { status: 503 }))],
    ['has a limit', toList(() => Response.json({}, { status: 429 }))],
    ['is a page to sign in at', toList(() => page())],
    ['is refused by a proxy’s page', toList(() => page(403))],
    ['is refused by a proxy’s page, with a 401', toList(() => page(401))],
    ['is a page that is too large', toList(() => page(200, 'x'.repeat(3_000_000)))],
    ['is empty', toList(() => new Response(null, { status: 200 }))],
    ['is half an answer', toList(() => new Response('{"data":[', { status: 200 }))],
    ['redirects', toList(() => Response.json({}, { status: 302 }))],
    ['is from a box that answers everything', () => Response.json({ ok: true })],
    ['is from a box that refuses everything', () => Response.json({}, { status: 401 })],
    ['is from a box that refuses everything without a word', () => new Response(null, { status: 403 })],
  ])('that %s is requested again', async (_what, box) => {
    const { license } = await startCommerce(box)
    expect((await license.keys()).status).toBeGreaterThanOrEqual(500)
  })
})

async function startBoxed(face: ServiceName, box: Box) {
  const emulator = await startFace(face)
  const gateway = gatewayOf(adapterOf(face, emulator), {
    fetch: async (request, init) => box(request) ?? fetch(request, init),
  })
  const seats = () => emulator.control.keys(emulator.demoLicense.id)
  return { emulator, gateway, license: gateway.of(emulator.licenseKey), seats }
}

const lists: [ServiceName, RegExp][] = [
  ['lemon-squeezy', /license-key-instances/u],
  ['polar', /\/v1\/license-keys\/[\da-f-]{36}$/u],
  ['dodo', /license_key_instances\?/u],
]

describe.each(lists)('the list of %s', (face, path) => {
  const denied = (status: number): Box => {
    return ({ url }) => (path.test(url) ? Response.json({ error: 'no scope' }, { status }) : null)
  }

  test.each([401, 403])('that is refused with a %i costs no activation', async (status) => {
    const { gateway, license, seats } = await startBoxed(face, denied(status))
    expect(await license.keys()).toMatchObject({ status: 403, body: { error: 'list-not-allowed' } })
    expect(gateway.lines.at(-1)?.detail).toMatch(/^the service refuses the token only for this list: check /u)
    expect(seats()).toEqual([])
    expect(await license.activate(keyName)).toMatchObject({ status: 200 })
  })

  test('that is refused leaves a device without a fingerprint its license', async () => {
    const { emulator, gateway, license } = await startBoxed(face, denied(403))
    const { id: key } = (await license.activate(keyName)).body.key
    const validate = `/licenses/${pathIdOf(emulator.licenseKey)}/validate`
    const answer = await gateway.ask('POST', validate, { key })
    // Polar can't validate without the fingerprint, so the device asks again.
    if (face === 'polar')
      expect(answer).toMatchObject({ status: 502, body: { error: 'upstream-unauthorized' } })
    else expect(answer).toMatchObject({ status: 200, body: { key: { id: key } } })
  })

  test.each([429, 503])('that is answered with a %i is requested again', async (status) => {
    const { license } = await startBoxed(face, denied(status))
    expect(await license.keys()).toMatchObject({ status: 503 })
  })

  test('is requested again if the service refuses everything', async () => {
    const { license } = await startBoxed(face, () => Response.json({}, { status: 403 }))
    expect((await license.keys()).status).toBeGreaterThanOrEqual(500)
  })
})

test('an API key of Lemon Squeezy’s other mode is named in the log, and costs no activation', async () => {
  const { emulator, gateway, license } = await startBoxed('lemon-squeezy', ({ url }) =>
    url.includes('license-key-instances')
      ? Response.json({ data: [], meta: { page: { currentPage: 1, lastPage: 1, perPage: 100, total: 0 } } })
      : null,
  )
  expect(await license.activate(keyName)).toMatchObject({ status: 200 })
  const { id } = emulator.control.keys(emulator.demoLicense.id)[0] ?? {}
  const validate = `/licenses/${pathIdOf(emulator.licenseKey)}/validate`
  expect(await gateway.ask('POST', validate, { key: id })).toMatchObject({ status: 200 })
  expect(await license.keys()).toMatchObject({ status: 403, body: { error: 'list-unreadable' } })
  const detail = expect.stringContaining('apiKey lists none of the seats in use')
  expect(gateway.lines.at(-1)).toMatchObject({ level: 'warn', code: 'list-unreadable', detail })
})

test('Keygen’s list that is refused is read again for a device without a fingerprint', async () => {
  const emulator = await startFace('keygen')
  const requests: string[] = []
  const { publicKey: _publicKey, ...settings } = emulator.settings
  const gateway = gatewayOf(adapterOf('keygen', { ...emulator, settings }), {
    fetch: async (request, init) => {
      requests.push(request.method)
      return request.method === 'GET' ? Response.json({}, { status: 403 }) : fetch(request, init)
    },
  })
  const { id: key } = emulator.control.addKey(emulator.demoLicense.id, keyName)
  const validate = `/licenses/${pathIdOf(emulator.licenseKey)}/validate`
  expect(await gateway.ask('POST', validate, { key })).toMatchObject({ status: 502 })
  // It doesn't ask for a device with an empty fingerprint.
  expect(requests.at(-1)).toBe('GET')
})

const productId = 'pdt_0NVz1J3QmL2'
const licenseKey = 'KEY-22222-AAAA'

/** Dodo Payments with 25,000 licenses, of which the adapter reads 20,000. */
function crowdedDodo({ showsLicense = true } = {}) {
  const seats = new Set<string>()
  const licenseOf = (number: number) => ({
    id: `lic_${number}`,
    key: `KEY-${number}-AAAA`,
    product_id: productId,
    status: 'active',
    activations_limit: 3,
    instances_count: seats.size,
    expires_at: null,
  })
  const instanceOf = (id: string) => ({ id, license_key_id: 'lic_22222', name: keyName, created_at: null })
  const answerTo = (url: URL, body: Record<string, string>): [status: number, body?: unknown] => {
    const page = Number(url.searchParams.get('page_number'))
    if (url.pathname === '/license_keys') {
      const first = page * 100
      return [200, { items: Array.from({ length: page < 250 ? 100 : 0 }, (_, at) => licenseOf(first + at)) }]
    }
    if (url.pathname === '/license_keys/lic_22222') return showsLicense ? [200, licenseOf(22222)] : [503]
    if (url.pathname === '/license_key_instances')
      return [200, { items: page === 0 ? [...seats].map(instanceOf) : [] }]
    if (url.pathname === '/licenses/validate') return [200, { valid: false }]
    if (url.pathname === '/licenses/activate') {
      const id = `lki_${seats.size}`
      seats.add(id)
      return [201, { ...instanceOf(id), product: { product_id: productId } }]
    }
    if (url.pathname === '/licenses/deactivate') {
      seats.delete(body['license_key_instance_id'] ?? '')
      return [200]
    }
    return [404, { code: 'NOT_FOUND', message: '' }]
  }
  const answers: NonNullable<GatewayOptions['fetch']> = async (request) => {
    const [status, body] = answerTo(new URL(request.url), JSON.parse((await request.text()) || '{}'))
    return body === undefined ? new Response(null, { status }) : Response.json(body, { status })
  }
  return { seats, answers }
}

async function activateWith(allow: AllowRule, behavior: Parameters<typeof crowdedDodo>[0] = {}) {
  const { seats, answers } = crowdedDodo(behavior)
  const { of, lines } = gatewayOf(dodo({ productId, apiKey: accessToken }), { allow, fetch: answers })
  const license = of(licenseKey)
  const listed = await license.keys()
  // The app activates without the list.
  expect(listed).toMatchObject({ status: 403, body: { error: 'list-unreadable' } })
  const activated = await license.activate(keyName)
  return { seats, license, activated, line: lines.at(-1) }
}

describe('a license that Dodo Payments can’t find among more than 20,000', () => {
  test('is activated if the rule allows it', async () => {
    const seen: unknown[] = []
    const { seats, license, activated } = await activateWith((shown) => seen.push(shown) > 0)
    expect(activated).toMatchObject({ status: 200, body: { license: { status: 'ACTIVE' } } })
    expect(seen).toMatchObject([
      { id: licenseKey, product: productId, status: 'ACTIVE', activation_limit: 3 },
    ])
    expect([...seats]).toEqual([activated.body.key.id])
    expect((await license.keys()).body.data).toMatchObject([{ id: activated.body.key.id }])
  })

  test('keeps no seat if the rule refuses it', async () => {
    const { seats, activated, line } = await activateWith(() => false)
    expect(activated).toMatchObject({ status: 404, body: { error: 'not-found' } })
    expect(line).toMatchObject({ level: 'info', remark: 'not-allowed' })
    expect(seats.size).toBe(0)
  })

  test('keeps no seat while the rule can’t see it', async () => {
    const { seats, activated } = await activateWith(() => true, { showsLicense: false })
    expect(activated).toMatchObject({ status: 502, body: { error: 'upstream-unexpected-answer' } })
    expect(seats.size).toBe(0)
  })
})
