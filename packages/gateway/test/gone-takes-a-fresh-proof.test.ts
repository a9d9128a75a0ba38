import { expect, test } from 'vitest'
import type { GatewayLogLine, GatewayOptions } from '../src/index.ts'
import { createGateway } from '../src/index.ts'
import { accessToken, keyName, leaseClaims, signing, withNonce } from './gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './services/face-fixture.ts'
import { sampleKey as key, keyId, licenseId, sampleLicense } from './wire-samples.ts'

interface Said {
  readonly status: number
  readonly body: unknown
  /** When it was made; `null` for a response without a date. @default now */
  readonly dateMs?: number | null
}

/** The gateway's responses about the key and the list in front of this service. */
async function behind(answer: (url: string) => Said, options: Pick<GatewayOptions, 'allow'> = {}) {
  let isOther = true
  const lines: GatewayLogLine[] = []
  const gateway = createGateway({
    log: (line) => void lines.push(line),
    upstream: {
      baseUrl: 'https://commerce.example/v1',
      accessToken,
      async fetch({ url }) {
        const other = { status: 200, body: { data: [{ ...key, id: licenseId }] } }
        const { status, body, dateMs = Date.now() }: Said = isOther ? other : answer(url)
        const headers = dateMs === null ? {} : { date: new Date(dateMs).toUTCString() }
        return Response.json(body, { status, headers })
      },
    },
    signing,
    ...options,
  })
  const ask = (path: string) =>
    gateway(
      new Request(`https://gateway.example/v1/licenses/${licenseId}${path}`, {
        headers: withNonce,
      }),
    )
  // An empty list proves something only once the service knew a key.
  await ask('/keys')
  isOther = false
  lines.length = 0
  const shown = await ask(`/keys/${keyId}`)
  const claims = await leaseClaims(shown.headers.get('latchkey-lease'), { licenseId, keyId })
  const status = typeof claims === 'object' ? (claims?.sta ?? null) : claims
  return { status, shownStatus: shown.status, shownLine: lines[0], list: await ask('/keys') }
}

const hourMs = 3_600_000
const other = { ...key, id: 'a0000000-0000-4000-8000-000000000002' }
const refusingRule: Pick<GatewayOptions, 'allow'> = { allow: ({ status }) => status === 'ACTIVE' }

test.each<[string, { listed: unknown[]; listedAtMs?: number | null; refusedAtMs?: number | null }, object]>([
  [
    'a fresh list that has another key proves it',
    { listed: [other] },
    { status: 'GONE', shownLine: { level: 'info', remark: null } },
  ],
  ['a fresh list that has the key proves nothing', { listed: [key] }, { status: null, shownStatus: 422 }],
  [
    'an hour-old list from a cache that has the key proves nothing',
    { listed: [key], listedAtMs: Date.now() - hourMs },
    { status: null, shownStatus: 502 },
  ],
  [
    'an hour-old list from a cache without the key proves nothing',
    { listed: [], listedAtMs: Date.now() - hourMs },
    { status: null },
  ],
  [
    'a list proves nothing if only the refusal has no date, so another host refused',
    { listed: [], refusedAtMs: null, listedAtMs: Date.now() - 30_000 },
    { status: null },
  ],
  ['a list without a date proves it', { listed: [], listedAtMs: null }, { status: 'GONE' }],
  [
    'a list proves it if the refusal has no date either',
    { listed: [], refusedAtMs: null, listedAtMs: null },
    { status: 'GONE' },
  ],
])('a key is gone: %s', async (_what, { listed, listedAtMs, refusedAtMs }, expected) => {
  const answer = (url: string): Said =>
    url.endsWith('/keys')
      ? { status: 200, body: { data: listed }, ...(listedAtMs !== undefined && { dateMs: listedAtMs }) }
      : { status: 404, body: {}, ...(refusedAtMs !== undefined && { dateMs: refusedAtMs }) }
  expect(await behind(answer)).toMatchObject(expected)
})

/** A service that has the key, and validates it with a license of this ID. */
const validating =
  (id: string) =>
  (url: string): Said => {
    if (url.endsWith('/keys')) return { status: 200, body: { data: [key] } }
    if (!url.endsWith('/validate')) return { status: 200, body: { data: key } }
    return { status: 200, body: { license: { ...sampleLicense, id, status: 'BETA' }, key } }
  }

test('a key that is gone because the vendor’s rule refuses its license has a remark in the log', async () => {
  const { status, shownLine } = await behind(validating(licenseId), refusingRule)
  expect([status, shownLine]).toMatchObject(['GONE', { level: 'info', remark: 'not-allowed' }])
})

test('the allow rule is not called with another customer’s license', async () => {
  const { status, list } = await behind(validating('b0000000-0000-4000-8000-000000000002'), refusingRule)
  expect(status).toBeNull()
  expect(list.status).toBe(502)
})

/** A device at Dodo Payments, behind a cache with lists from before its activation. */
async function startBehindCache() {
  const emulator = await startFace('dodo')
  const kept = new Map<string, string>()
  const way = { isOld: false, hasLostRoutes: false, dateMs: 0 }
  const throughCache = async (request: Request, init?: RequestInit): Promise<Response> => {
    const { url, method } = request
    const isList = method === 'GET' && url.includes('?')
    const say = (status: number, text: string, dateMs: number): Response => {
      const headers = { 'content-type': 'application/json', date: new Date(dateMs).toUTCString() }
      return new Response(text, { status, headers })
    }
    if (isList && way.isOld) return say(200, kept.get(url) ?? '', way.dateMs)
    if (way.hasLostRoutes) return say(404, JSON.stringify({ message: 'no such route' }), Date.now())
    const answer = await fetch(request, init)
    const text = await answer.text()
    if (isList && !kept.has(url)) kept.set(url, text)
    return say(answer.status, text, Date.now())
  }
  const options = { signing, fetch: throughCache }
  const license = gatewayOf(adapterOf('dodo', emulator), options).of(emulator.licenseKey)
  expect((await license.keys()).body.data).toEqual([])
  const { id } = (await license.activate(keyName)).body.key
  return { emulator, license, id, way }
}

test.each([
  [
    'three days old, while a router has lost the other routes',
    { hasLostRoutes: true, ageMs: 3 * 86_400_000 },
  ],
  ['half a minute old, while a router has lost the other routes', { hasLostRoutes: true, ageMs: 30_000 }],
  ['three days old, while the service knows the device', { hasLostRoutes: false, ageMs: 3 * 86_400_000 }],
])('a list revokes no license if it is %s', async (_what, { hasLostRoutes, ageMs }) => {
  const { license, id, way } = await startBehindCache()
  Object.assign(way, { isOld: true, hasLostRoutes, dateMs: Date.now() - ageMs })
  expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
  if (hasLostRoutes) expect((await license.deactivate(id)).status).toBe(502)
})

test('a three-day-old list proves nothing, even about a device that is gone', async () => {
  const { emulator, license, id, way } = await startBehindCache()
  const [own] = emulator.control.keys(emulator.demoLicense.id)
  emulator.control.removeKey(emulator.demoLicense.id, own?.id ?? '')
  Object.assign(way, { isOld: true, dateMs: Date.now() - 3 * 86_400_000 })
  expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
  way.isOld = false
  expect(await license.key(id, withNonce)).toMatchObject({ status: 404, lease: expect.any(String) })
})

test('a device of an expired license can still see that its seat was released', async () => {
  const { emulator, license, id } = await startBehindCache()
  emulator.control.expire(emulator.demoLicense.id)
  expect((await license.deactivate(id)).status).toBe(200)
  expect((await license.key(id, withNonce)).status).toBe(404)
})
