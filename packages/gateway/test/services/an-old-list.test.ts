import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dodo } from '@latchkey/services/dodo'
import { expect, onTestFinished, test } from 'vitest'
import { generateSigningKey } from '../../src/index.ts'
import { accessToken, keyName, nonce } from '../gateway-fixture.ts'
import { gatewayOf, startFace } from './face-fixture.ts'

const signingKey = await generateSigningKey()
const withNonce = { 'latchkey-nonce': nonce }

/** A device at Dodo Payments, behind a cache with lists from before its activation. */
async function start() {
  const emulator = await startFace('dodo')
  const { origin } = new URL(emulator.baseUrl)
  const kept = new Map<string, string>()
  const way = { isOld: false, hasLostRoutes: false, dateMs: 0 }
  const server = createServer((request, response) => {
    void (async () => {
      const url = request.url ?? ''
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const isList = request.method === 'GET' && url.includes('?')
      const isKept = isList && way.isOld
      const say = (status: number, text: string | undefined): void => {
        const date = new Date(isKept ? way.dateMs : Date.now()).toUTCString()
        response.sendDate = false
        response.writeHead(status, { 'content-type': 'application/json', date })
        response.end(text)
      }
      if (isKept) return say(200, kept.get(url))
      if (way.hasLostRoutes) return say(404, JSON.stringify({ message: 'no such route' }))
      const { method = 'GET', headers } = request
      const answer = await fetch(`${origin}${url}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
        ...(method !== 'GET' && { body: Buffer.concat(chunks) }),
      })
      const text = await answer.text()
      if (isList && !kept.has(url)) kept.set(url, text)
      say(answer.status, text)
    })()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const service = dodo({
    productId: emulator.settings.productId ?? '',
    apiKey: accessToken,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  const license = gatewayOf(service, { signing: { keys: [signingKey] } }).of(emulator.licenseKey)
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
