import { afterEach, expect, test, vi } from 'vitest'
import { generateSigningKey, leaseKeysOf, verifyLease } from '../../src/index.ts'
import { nonce } from '../gateway-fixture.ts'
import { adapterOf, fingerprint, gatewayOf, startFace } from './face-fixture.ts'

const madeUp = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`

/** A gateway in front of Lemon Squeezy, which allows 60 requests a minute. */
async function startLimited(options: Parameters<typeof gatewayOf>[1] = {}) {
  const emulator = await startFace('lemon-squeezy', { rateLimits: true })
  let nowMs = Date.parse('2026-11-28T12:00:00Z')
  const gateway = gatewayOf(adapterOf('lemon-squeezy', emulator), {
    clock: () => nowMs,
    limits: { perUpstream: undefined },
    ...options,
  })
  const customers = Array.from({ length: 12 }, (_, index) => {
    const { license_key: licenseKey = '', id } = emulator.control.createLicense({ activation_limit: 3 })
    const key = emulator.control.addKey(id, `Laptop [${String(index).padStart(16, '0')}]`)
    return { license: gateway.of(licenseKey), keyId: key.id }
  })
  return {
    emulator,
    gateway,
    customers,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

afterEach(() => {
  vi.useRealTimers()
})

test('customers are all served, although a stranger asks once a second', async () => {
  // The emulator counts by the same clock, and refuses the 61st request of a minute.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-28T12:00:00Z') })
  const emulator = await startFace('lemon-squeezy', { rateLimits: true })
  const gateway = gatewayOf(adapterOf('lemon-squeezy', emulator), { limits: { perUpstream: undefined } })
  const customers = Array.from({ length: 60 }, (_, index) => {
    const { license_key: licenseKey = '', id } = emulator.control.createLicense({ activation_limit: 1 })
    const key = emulator.control.addKey(id, `Laptop [${String(index).padStart(16, '0')}]`)
    return async () => (await gateway.of(licenseKey).validate(key.id)).status
  })
  const waitSecond = () => vi.setSystemTime(Date.now() + 1_000)
  // They were customers before the stranger came.
  for (const launch of customers) {
    for (let second = 0; second < 3; second += 1) waitSecond()
    await launch()
  }
  const served: number[] = []
  const strange: number[] = []
  for (const [index, launch] of customers.entries()) {
    for (let second = 0; second < 3; second += 1) {
      waitSecond()
      strange.push((await gateway.of(madeUp(3 * index + second)).validate(madeUp(0))).status)
    }
    served.push(await launch())
  }
  expect(served).toEqual(Array(60).fill(200))
  expect(strange).toContain(503)
})

test('a stranger with made-up keys uses up no more than half, so customers are served', async () => {
  const { emulator, gateway, customers, pass } = await startLimited()
  for (const { license, keyId } of customers) expect((await license.validate(keyId)).status).toBe(200)
  pass(180_000)
  emulator.control.clearRequests()
  const refused = []
  for (let index = 0; index < 100; index += 1)
    refused.push(await gateway.of(madeUp(index)).validate(madeUp(0)))
  expect(refused.at(-1)).toMatchObject({ status: 503, body: { error: 'upstream-busy' } })
  expect(Number(refused.at(-1)?.retryAfter)).toBeGreaterThan(0)
  expect(emulator.control.requests().length).toBeLessThanOrEqual(30)
  for (const { license, keyId } of customers) expect((await license.validate(keyId)).status).toBe(200)
  expect(emulator.control.requests().length).toBeLessThanOrEqual(60)
})

test('a license that has ended uses up no more than half, though it still has a device', async () => {
  const { emulator, gateway, customers, pass } = await startLimited()
  for (const { license, keyId } of customers) expect((await license.validate(keyId)).status).toBe(200)
  pass(180_000)
  const { license_key: ended = '', id } = emulator.control.createLicense({ activation_limit: 3 })
  emulator.control.addKey(id, `Laptop [${fingerprint}]`)
  emulator.control.expire(id)
  for (let index = 0; index < 50; index += 1) await gateway.of(ended).keys()
  for (const { license, keyId } of customers) expect((await license.validate(keyId)).status).toBe(200)
})

test('while requests run short, a validation that is repeated soon is answered from memory, and signed no longer than before', async () => {
  const signingKey = await generateSigningKey()
  const { emulator, gateway, customers, pass } = await startLimited({ signing: { keys: [signingKey] } })
  const [customer] = customers
  const leaseKeys = await leaseKeysOf([signingKey])
  const ask = async () => {
    const told = await customer?.license.validate(customer.keyId, fingerprint, { 'latchkey-nonce': nonce })
    const nowMs = Date.parse('2026-11-28T12:05:00Z')
    const verdict = await verifyLease(told?.lease ?? '', { leaseKeys, nowMs, nonce })
    return verdict.trusted ? verdict.claims : null
  }
  const first = await ask()
  pass(60_000)
  // Others use up what isn't kept for customers.
  for (let index = 0; index < 31; index += 1) await gateway.of(madeUp(index)).activate(`A [${fingerprint}]`)
  emulator.control.clearRequests()
  const second = await ask()
  expect(emulator.control.requests()).toEqual([])
  expect([second?.ent, second?.exp]).toEqual([true, first?.exp])
  pass(120_000)
  expect((await ask())?.exp).toBeGreaterThan(first?.exp ?? Number.POSITIVE_INFINITY)
  expect(emulator.control.requests().length).toBeGreaterThan(0)
})

test('a device that is deactivated is not answered from memory', async () => {
  const { customers } = await startLimited()
  const [customer] = customers
  expect((await customer?.license.validate(customer.keyId))?.status).toBe(200)
  expect((await customer?.license.deactivate(customer.keyId))?.status).toBe(200)
  expect((await customer?.license.validate(customer.keyId))?.status).toBe(404)
})
