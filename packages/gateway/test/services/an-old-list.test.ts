import { expect, test } from 'vitest'
import { generateSigningKey } from '../../src/index.ts'
import { keyName, nonce } from '../gateway-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './face-fixture.ts'

const signingKey = await generateSigningKey()
const withNonce = { 'latchkey-nonce': nonce }

/** A device at Dodo Payments, behind a cache with lists from before its activation. */
async function start() {
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
  const options = { signing: { keys: [signingKey] }, fetch: throughCache }
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
  const { license, id, way } = await start()
  Object.assign(way, { isOld: true, hasLostRoutes, dateMs: Date.now() - ageMs })
  expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
  if (hasLostRoutes) expect((await license.deactivate(id)).status).toBe(502)
})

test('a three-day-old list proves nothing, even about a device that is gone', async () => {
  const { emulator, license, id, way } = await start()
  const [own] = emulator.control.keys(emulator.demoLicense.id)
  emulator.control.removeKey(emulator.demoLicense.id, own?.id ?? '')
  Object.assign(way, { isOld: true, dateMs: Date.now() - 3 * 86_400_000 })
  expect(await license.key(id, withNonce)).toMatchObject({ status: 502, lease: null })
  way.isOld = false
  expect(await license.key(id, withNonce)).toMatchObject({ status: 404, lease: expect.any(String) })
})

test('a device of an expired license can still see that its seat was released', async () => {
  const { emulator, license, id } = await start()
  emulator.control.expire(emulator.demoLicense.id)
  expect((await license.deactivate(id)).status).toBe(200)
  expect((await license.key(id, withNonce)).status).toBe(404)
})
