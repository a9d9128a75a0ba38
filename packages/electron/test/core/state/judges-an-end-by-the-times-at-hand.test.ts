import { describe, expect, test } from 'vitest'
import { endOf, withProvenEnd } from '../../../src/core/record/proven-end.ts'
import { readLicense } from '../../../src/core/service/read-answer.ts'
import { endPhaseOf, verdictOf } from '../../../src/core/state/license-end.ts'
import { oldCommercePort } from '../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate } from '../service-model.ts'

const endMs = Date.parse('2026-11-01T12:00:00Z')
const expiresAt = '2026-11-01T12:00:00.000000Z'
const yearMs = 365 * dayMs

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
    const times = {
      statedMs: statedMs === null ? null : endMs + statedMs,
      wallMs: endMs + wallMs,
      isSigned,
    }
    const license = { ...facts, expiresAt }
    expect(verdictOf(license, times)).toBe(verdict)
    expect(verdictOf({ ...license, suspendedAt: expiresAt }, times)).toBe('suspended')
    expect(verdictOf({ ...license, expiresAt: null }, times)).toBe('valid')
    // Not entitled in any case. The most reliable time decides the status.
    const isOver = (times.statedMs ?? times.wallMs) >= endMs
    expect(verdictOf({ ...license, status: 'CLOSED' }, times)).toBe(isOver ? 'expired' : 'inactive')
  })

  test('is compared with the available times', () => {
    const license = {
      id: 'license-a',
      activation_limit: 3,
      activation_usage: 1,
      activation_usage_formatted: '1/3',
      expires_at: expiresAt,
      suspended_at: null,
      status: 'ACTIVE',
      created_at: expiresAt,
      updated_at: expiresAt,
    }
    const lease = { jws: '', fingerprint: null, isEntitled: true, issuedAtMs: endMs, expiresAtMs: endMs }
    const read = (wallMs: number, rest: object = {}) =>
      readLicense({ value: { license }, serverDateMs: endMs, ...rest }, wallMs).verdict
    expect(read(endMs)).toBe('expired')
    expect(read(endMs - yearMs)).toBe('valid')
    expect(read(endMs - yearMs, { lease })).toBe('expired')
    expect(read(endMs, { serverDateMs: null })).toBe('valid')
  })
})

const facts = { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' }

test('a license without an end, or with an unreadable one, does not expire', () => {
  expect(endOf(facts)).toBe(Number.POSITIVE_INFINITY)
  expect(endOf({ ...facts, expiresAt: '2026-02-30T00:00:00.000000Z' })).toBe(Number.POSITIVE_INFINITY)
  expect(endOf({ ...facts, expiresAt })).toBe(endMs)
})

test.each([
  ['before the end', -1, -9, 'ahead'],
  ['before the end, and the last answer was after it by a clock set right since', -1, 5, 'ahead'],
  ['at the very end', 0, -9, 'renewal'],
  ['as long as a renewal may be unheard of', 4, -9, 'renewal'],
  ['once that is over', 5, -9, 'over'],
  ['when the last answer came just before the end', 5, -1, 'over'],
  ['when the last answer came at the very end', 5, 0, 'in-doubt'],
  ['long after it, when the last answer came after it too', 1000, 1, 'in-doubt'],
] as const)('between two answers, %s', (_when, now, validAt, phase) => {
  const times = { endMs, nowMs: endMs + now, validAtMs: endMs + validAt, renewalMs: 5 }
  expect(endPhaseOf(times)).toBe(phase)
})

/** A device whose answers have a wrong `Date` or none, with a license that ends in 300 days. */
async function behindProxy() {
  const model = createServiceModel(() => realMs())
  const license = model.addLicense(1)
  const proxy: { dateOffMs: number | null; fate: Fate } = { dateOffMs: 0, fate: { kind: 'served' } }
  const asked: number[] = []
  const served = oldCommercePort(
    model.reachedBy((operation) => {
      if (operation === 'validate') asked.push(device.clock.monotonic())
      return operation === 'keys' ? { kind: 'served' } : proxy.fate
    }),
  )
  const dated =
    <Args extends unknown[], Found extends { readonly serverDateMs: number | null }>(
      call: (...args: Args) => Promise<Found>,
    ) =>
    async (...args: Args): Promise<Found> => {
      const found = await call(...args)
      const serverDateMs = proxy.dateOffMs === null ? null : (found.serverDateMs ?? 0) + proxy.dateOffMs
      return { ...found, serverDateMs }
    }
  const device: TestDevice = createTestDevice(null, {
    commerce: {
      keys: dated(served.keys),
      key: dated(served.key),
      activate: dated(served.activate),
      validate: dated(served.validate),
      deactivate: dated(served.deactivate),
    },
  })
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
    const { activation } = await device.vaultOnDisk()
    const validAtMs = (activation?.validAtMs ?? 0) - days * dayMs
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
  const ended = {
    activationLimit: 3,
    activationUsage: 1,
    suspendedAt: null,
    status: 'EXPIRED',
    expiresAt: '2030-06-01T00:00:00Z',
  }

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
    const known = { validAtMs, license: { ...ended, status: 'ACTIVE', expiresAt: knownEnd } }
    expect(withProvenEnd({ ...ended, ...said }, known, saidAtMs).expiresAt).toBe(expiresAt)
  })
})
