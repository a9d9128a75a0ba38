import type { LicenseFacts, LicenseService, Outcome } from '@latchkey/services'
import { describe, expect, test } from 'vitest'
import { readLicense, withReading } from '../../../src/core/answers.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate } from '../service-model.ts'
import { activation, license as known } from './records.ts'

const endMs = Date.parse('2026-11-01T12:00:00Z')
const expiresAt = '2026-11-01T12:00:00.000000Z'
const yearMs = 365 * dayMs

/** An active license with that end. */
const facts: LicenseFacts = {
  id: 'license-a',
  status: 'active',
  rawStatus: 'ACTIVE',
  endsAtMs: endMs,
  worksAfterEnd: false,
  seatLimit: 3,
  seatsInUse: 1,
  product: null,
  isTest: null,
  plan: null,
}

const signed = {
  jws: 'signed',
  fingerprint: activation.fingerprint,
  isEntitled: true,
  hasEnded: false,
  issuedAtMs: endMs,
  expiresAtMs: endMs,
}

describe('a response about a license with an end', () => {
  /** The answer's time and the computer's clock, relative to the end, and whether a lease signs that time. */
  test.each([
    ['before the end', -1, -1, false, 'valid'],
    ['at the very end', 0, 0, false, 'expired'],
    ['after it, and the clock is behind by a day', 0, -dayMs, false, 'expired'],
    ['after it, and the clock says otherwise by more than a day', 400 * dayMs, -dayMs - 1, false, 'valid'],
    ['days after it, and so does the clock', 9 * dayMs, 0, false, 'expired'],
    ['after it, two days ahead of a clock that is right', dayMs + hourMs, -23 * hourMs, false, 'valid'],
    ['after it, a day ahead of the clock', hourMs, -23 * hourMs, false, 'expired'],
    ['after it by a signed time, whatever the clock says', 0, -10 * yearMs, true, 'expired'],
    ['before it by a signed time, whatever the clock says', -1, 2 * yearMs, true, 'valid'],
    ['before it, and the clock is years ahead', -1, 2 * yearMs, false, 'valid'],
    ['at no time it names, and the clock is years ahead', null, 2 * yearMs, false, 'valid'],
    ['at no time it names, and the clock is right', null, -1, false, 'valid'],
  ] as const)('that comes %s', (_when, statedMs, wallMs, isSigned, verdict) => {
    const statedAtMs = statedMs === null ? null : endMs + statedMs
    const lease = isSigned ? { ...signed, license: { expiresAt, plan: null, features: [] } } : null
    const read = (told: Partial<LicenseFacts> = {}) =>
      readLicense({ value: { ...facts, ...told }, serverDateMs: statedAtMs }, null, lease, endMs + wallMs)
        .verdict
    expect(read()).toBe(verdict)
    expect(read({ status: 'suspended' })).toBe('suspended')
    if (!isSigned) expect(read({ endsAtMs: 'never' })).toBe('valid')
    // Not entitled in any case. The most reliable time decides the status.
    const isOver = (statedAtMs ?? endMs + wallMs) >= endMs
    expect(read({ status: 'inactive' })).toBe(isOver ? 'expired' : 'inactive')
  })
})

/** A device whose answers have a wrong `Date` or none, with a license that ends in 300 days. */
async function behindProxy() {
  const model = createServiceModel(() => realMs())
  const license = model.addLicense(1)
  const proxy: { dateOffMs: number | null; fate: Fate } = { dateOffMs: 0, fate: { kind: 'served' } }
  const asked: number[] = []
  const served = model.reachedBy((operation) => {
    if (operation === 'validate') asked.push(device.clock.monotonic())
    return operation === 'keys' ? { kind: 'served' } : proxy.fate
  })
  const dated =
    <Args extends unknown[], Value>(call: (...args: Args) => Promise<Outcome<Value>>) =>
    async (...args: Args): Promise<Outcome<Value>> => {
      const outcome = await call(...args)
      if (outcome.kind === 'unavailable') return outcome
      const serverDateMs = proxy.dateOffMs === null ? null : (outcome.serverDateMs ?? 0) + proxy.dateOffMs
      return { ...outcome, serverDateMs }
    }
  const service: LicenseService = {
    ...served,
    activate: dated(served.activate),
    validate: dated(served.validate),
    deactivate: dated(served.deactivate),
    ...(served.listActivations && { listActivations: dated(served.listActivations) }),
    ...(served.showActivation && { showActivation: dated(served.showActivation) }),
  }
  const device: TestDevice = createTestDevice(null, { service })
  const aheadMs = { now: 0 }
  const realMs = (): number => device.clock.now() - aheadMs.now
  /** Sets the computer's clock. */
  const setClock = (ms: number): void => {
    device.clock.jump(ms)
    aheadMs.now += ms
  }
  license.expiresAtMs = Math.ceil(realMs() / 1000) * 1000 + 300 * dayMs
  await device.core.activate(license.id)
  await device.settled()
  return { device, license, proxy, asked, setClock, realMs }
}

describe('a paying customer keeps running', () => {
  test('on a computer two years ahead whose responses have no date', async () => {
    const { device, proxy, setClock } = await behindProxy()
    proxy.dateOffMs = null
    setClock(2 * yearMs)
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    proxy.fate = { kind: 'request-lost' }
    device.sleep(13 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    device.sleep(2 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  })

  test('behind a proxy whose `Date` is past the end', async () => {
    const { device, proxy, asked } = await behindProxy()
    proxy.dateOffMs = 400 * dayMs
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    asked.length = 0
    await device.elapse(hourMs)
    expect(asked).not.toEqual([])
    await device.elapse(20 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(device.states.every(({ entitled }) => entitled)).toBe(true)
  })

  test('behind a proxy whose `Date` is 400 days behind', async () => {
    const { device, proxy } = await behindProxy()
    proxy.dateOffMs = -400 * dayMs
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    proxy.dateOffMs = 0
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
  })

  test('and is checked again within the hour until the times agree', async () => {
    const { device, proxy, asked, setClock } = await behindProxy()
    proxy.dateOffMs = null
    setClock(2 * yearMs)
    await device.launch()
    for (let hour = 0; hour < 5; hour += 1) {
      asked.length = 0
      await device.elapse(hourMs)
      expect(asked.length).toBeGreaterThanOrEqual(1)
      expect(asked.length).toBeLessThanOrEqual(2)
    }
    proxy.dateOffMs = 0
    await device.elapse(hourMs)
    asked.length = 0
    await device.elapse(12 * hourMs)
    expect(asked).toEqual([])
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test.each([
    ['400 days ahead', 400],
    ['200 days ahead', 200],
    ['400 days behind', -400],
  ])('during the grace period, and no longer, after one response dated %s', async (_what, days) => {
    const { device, proxy } = await behindProxy()
    await device.elapse(dayMs)
    proxy.dateOffMs = days * dayMs
    await device.core.devices()
    proxy.fate = { kind: 'request-lost' }
    await device.quit()
    const { activation } = await device.recordOnDisk()
    // Only an answer that confirms the license moves the time forward.
    const validAtMs = (activation?.validAtMs ?? 0) - Math.min(days, 0) * dayMs
    device.sleep(validAtMs + 14 * dayMs - hourMs - device.clock.now())
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    device.sleep(2 * hourMs)
    expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
  })

  test.each([400, -400])('when a `Date` that was wrong by %i days is correct again', async (days) => {
    const { device, proxy } = await behindProxy()
    proxy.dateOffMs = days * dayMs
    await device.core.devices()
    await device.quit()
    proxy.dateOffMs = 0
    proxy.fate = { kind: 'status', status: 503, isJson: true }
    await device.launch()
    await device.core.devices()
    await device.quit()
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
  })
})

test('an expired license has expired on a computer whose clock is almost right', async () => {
  const { device, license, setClock, realMs } = await behindProxy()
  license.expiresAtMs = realMs() - hourMs
  setClock(-20 * hourMs)
  expect(await device.launch()).toMatchObject({ status: 'expired', entitled: false })
})

describe('an end that came with “expired”', () => {
  const saidAtMs = Date.UTC(2030, 5, 1)
  const validAtMs = Date.UTC(2030, 0, 15)
  const ended = { ...known, status: 'EXPIRED', expiresAt: '2030-06-01T00:00:00Z' }

  test.each([
    ['at the time of the answer, and one was known', {}, '2030-02-01', '2030-02-01'],
    ['a little before, and one was known', { expiresAt: '2030-05-31T23:56:00Z' }, '2030-02-01', '2030-02-01'],
    ['at the time of the answer, and none was known', {}, null, '2030-01-15T00:00:00.000Z'],
    ['at the time of the answer, before the known one', {}, '2031-01-01', ended.expiresAt],
    [
      'long ago, after the known one: it was renewed',
      { expiresAt: '2030-05-01' },
      '2030-02-01',
      '2030-05-01',
    ],
    ['that is not stated', { expiresAt: null }, '2030-02-01', null],
    ['of an active license', { status: 'ACTIVE' }, '2030-02-01', ended.expiresAt],
  ])('%s', (_what, said, knownEnd, expiresAt) => {
    const before = { ...activation, validAtMs, license: { ...known, expiresAt: knownEnd } }
    const reading = { verdict: 'expired', license: { ...ended, ...said }, lease: null } as const
    expect(withReading(before, reading, saidAtMs).license.expiresAt).toBe(expiresAt)
  })
})
