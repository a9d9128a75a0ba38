import { describe, expect, test } from 'vitest'
import { nilKeyId } from '../src/licenses/license-operations.ts'
import { type FixtureOptions, startGateway } from './gateway-fixture.ts'
import { asking, startOffline } from './offline/offline-fixture.ts'
import { adapterOf, gatewayOf, startFace } from './services/face-fixture.ts'

const clientAddress = (): string => '203.0.113.9'
const madeUp = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

/** A gateway that one address asks, at a time of its own. */
async function startAsked(options: FixtureOptions = {}) {
  let nowMs = Date.parse('2026-11-22T12:00:10Z')
  const fixture = await startGateway({ clientAddress, clock: () => nowMs, ...options })
  const { call, emulator } = fixture
  const keys = async (licenseId: string) => (await call('GET', `/licenses/${licenseId}/keys`)).status
  return {
    ...fixture,
    keys,
    passMinutes: (count: number) => {
      nowMs += count * 60_000
    },
    /** The statuses of requests for made-up licenses, one after the other. */
    async guess(count: number, from = 0) {
      const statuses: number[] = []
      for (const index of numbers(count)) statuses.push(await keys(madeUp(from + index)))
      return statuses
    },
    asked: () => emulator.control.requests().length,
  }
}

const times = (count: number, status: number): readonly number[] => Array<number>(count).fill(status)

describe('an address that makes up license keys', () => {
  test('reaches the service twenty times a minute, and learns when to try again', async () => {
    const { call, guess, asked, passMinutes, lines } = await startAsked()
    expect(await guess(50)).toEqual([...times(20, 404), ...times(30, 429)])
    expect(asked()).toBe(20)
    const refusal = await call('GET', `/licenses/${madeUp(99)}/keys`)
    expect(refusal.headers.get('retry-after')).toBe('50')
    expect(lines.at(-1)).toMatchObject({ level: 'warn', code: 'too-many-requests' })
    passMinutes(2)
    expect(await guess(30, 100)).toEqual([...times(20, 404), ...times(10, 429)])
  })

  test('reaches it no more often by asking for many at once', async () => {
    const { keys, asked } = await startAsked()
    const statuses = await Promise.all(numbers(50).map((index) => keys(madeUp(index))))
    expect(statuses.toSorted()).toEqual([...times(20, 404), ...times(30, 429)])
    expect(asked()).toBe(20)
  })

  test('doesn’t stop customers behind the same address, whose licenses were served before', async () => {
    const { call, keys, guess, emulator, licenseId } = await startAsked()
    const key = emulator.control.addKey(licenseId, 'Laptop').id
    const validate = async () =>
      (await call('POST', `/licenses/${licenseId}/validate`, { json: { key } })).status
    expect(await validate()).toBe(200)
    await guess(30)
    expect(await validate()).toBe(200)
    expect(await keys(licenseId)).toBe(200)
  })

  test('is limited on every route, and on the page for computers without internet', async () => {
    const { call } = await startAsked()
    const key = madeUp(1_000)
    const routes = [
      (id: string) => call('POST', `/licenses/${id}/activate`, { json: { name: 'Laptop' } }),
      (id: string) => call('POST', `/licenses/${id}/validate`, { json: { key } }),
      (id: string) => call('GET', `/licenses/${id}/keys/${key}`),
      (id: string) => call('DELETE', `/licenses/${id}/deactivate`, { json: { key } }),
    ]
    for (const index of numbers(20)) await routes[index % routes.length]?.(madeUp(index))
    for (const route of routes) expect((await route(madeUp(99))).status).toBe(429)

    const offline = await startOffline('commerce', { clientAddress })
    for (const index of numbers(20)) await offline.send({ ...asking, licenseKey: madeUp(index) })
    expect((await offline.send({ ...asking, licenseKey: madeUp(99) })).status).toBe(429)
  })

  test('doesn’t use up what Lemon Squeezy allows the gateway', async () => {
    const emulator = await startFace('lemon-squeezy')
    const { of } = gatewayOf(adapterOf('lemon-squeezy', emulator), { clientAddress })
    for (const index of numbers(40)) await of(madeUp(index)).keys()
    expect(emulator.control.requests().length).toBeLessThanOrEqual(20)
  })

  test('isn’t limited if there is no limit per address', async () => {
    const { guess } = await startAsked({ limits: { perAddress: false } })
    expect(await guess(30)).toEqual(times(30, 404))
  })
})

describe('an office behind one address', () => {
  test('can ask again and again with one mistyped key, and its other licenses are served', async () => {
    const { keys, licenseId, emulator } = await startAsked()
    for (const _ of numbers(40)) expect(await keys(madeUp(1))).toBe(404)
    expect(await keys(licenseId)).toBe(200)
    expect(await keys(emulator.control.createLicense().id)).toBe(200)
  })

  test('isn’t refused for licenses that the vendor’s rule doesn’t serve', async () => {
    const { call, emulator } = await startAsked({ allow: () => false })
    for (const _ of numbers(30)) {
      const { id } = emulator.control.createLicense()
      const key = emulator.control.addKey(id, 'Laptop').id
      expect((await call('POST', `/licenses/${id}/validate`, { json: { key } })).status).toBe(404)
    }
  })

  test('isn’t refused for what every app asks before its first activation', async () => {
    const { call } = await startAsked()
    for (const index of numbers(30))
      expect((await call('GET', `/licenses/${madeUp(index)}/keys/${nilKeyId}`)).status).toBe(404)
  })

  test('may start many apps at the same moment', async () => {
    const { keys, emulator } = await startAsked()
    const ids = numbers(100).map(() => emulator.control.createLicense().id)
    expect(await Promise.all(ids.map(keys))).toEqual(times(100, 200))
  })

  test('may start many apps with one license at the same moment', async () => {
    const { call, emulator } = await startAsked()
    const { id } = emulator.control.createLicense({ activation_limit: 100 })
    const sent = numbers(100).map((index) =>
      call('POST', `/licenses/${id}/activate`, { json: { name: `Laptop ${index}` } }),
    )
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(times(100, 200))
  })
})
