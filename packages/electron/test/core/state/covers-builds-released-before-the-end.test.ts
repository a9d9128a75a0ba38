import type { LicenseService } from '@latchkey/services'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coveredUntilMs, coversBuild, entitlementOf } from '../../../src/core/entitlement.ts'
import type { Lease } from '../../../src/core/ports.ts'
import { type ActivationRecord, emptyRecord } from '../../../src/core/record.ts'
import { createScriptedService, refusal } from '../../doubles/scripted-service.ts'
import { createTestDevice, dayMs, defaultRules, hourMs, type TestDevice } from '../fixture.ts'
import { lost, type Scene } from '../scene.ts'
import { createServiceModel } from '../service-model.ts'
import { activation, license as facts, nowMs } from './records.ts'

/** A license that ends in ten days, in an app whose build was released that long after the end. */
async function licensed(releasedAfterEndMs: number | undefined, endsInDays: number | null = 10) {
  const fates: Scene['fates'] = {}
  const model = createServiceModel(() => device.clock.now())
  const service = model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' })
  const startMs = Date.now()
  const endMs = startMs + (endsInDays ?? 10) * dayMs
  const releasedAtMs = releasedAfterEndMs === undefined ? undefined : endMs + releasedAfterEndMs
  const device: TestDevice = createTestDevice(null, { service, rules: { releasedAtMs } })
  device.clock.jump(startMs - device.clock.now())
  const license = model.addLicense(3)
  license.expiresAtMs = endsInDays === null ? null : endMs
  await device.core.activate(license.id)
  return { device, license, model, service, fates, endMs, releasedAtMs }
}

type Licensed = Awaited<ReturnType<typeof licensed>>

describe('a license that has ended', () => {
  test.each([
    ['a day before it', -dayMs, 'active', true],
    ['a millisecond before it', -1, 'active', true],
    ['in its last millisecond', 0, 'active', true],
    ['a millisecond after it', 1, 'not-covered', false],
    ['a day after it', dayMs, 'not-covered', false],
    ['whenever, where a license locks', undefined, 'expired', false],
  ])(
    'still entitles builds released up to its end, and no later ones: %s',
    async (_when, afterMs, status, entitled) => {
      const { device } = await licensed(afterMs)
      expect(device.state.status).toBe('active')
      await device.elapse(11 * dayMs)
      expect(device.state).toMatchObject({ status, entitled })
      expect(device.state.problem?.code ?? null).toBe(entitled ? null : 'license-expired')
      expect(await device.launch()).toMatchObject({ status, entitled })
      await device.elapse(60 * dayMs)
      expect(device.state).toMatchObject({ status, entitled })
    },
  )

  test('gives renewal grace to a later build, and none to a build that it covers', async () => {
    const covered = await licensed(-dayMs)
    const later = await licensed(dayMs)
    for (const { device, fates } of [covered, later]) {
      await device.elapse(9 * dayMs)
      fates.validate = Array.from({ length: 500 }, () => lost)
      await device.elapse(2 * dayMs)
    }
    expect(covered.device.state.status).toBe('grace')
    expect(later.device.state.status).toBe('grace')
    await later.device.elapse(3 * dayMs)
    await covered.device.elapse(3 * dayMs)
    expect(later.device.state.status).toBe('not-covered')
    expect(covered.device.state.status).toBe('grace')
    await covered.device.elapse(12 * dayMs)
    expect(covered.device.state.status).toBe('unverified')
    covered.fates.validate = []
    await covered.device.core.validate()
    expect(covered.device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each([
    [
      'suspended',
      (license: { isSuspended: boolean }) => Object.assign(license, { isSuspended: true }),
      'suspended',
    ],
    [
      'released elsewhere',
      (license: { keys: readonly unknown[] }) => Object.assign(license, { keys: [] }),
      'revoked',
    ],
  ])('covers nothing once it is %s', async (_what, change, status) => {
    const { device, license } = await licensed(-dayMs)
    await device.elapse(11 * dayMs)
    change(license)
    await device.core.validate()
    await device.core.validate()
    expect(device.state).toMatchObject({ status, entitled: false })
  })

  test('entitles a later build as soon as a renewal is seen', async () => {
    const { device, license } = await licensed(dayMs)
    await device.elapse(11 * dayMs)
    expect(device.state.status).toBe('not-covered')
    license.expiresAtMs = device.clock.now() + 365 * dayMs
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each([
    [-dayMs, true, 'active'],
    [dayMs, false, 'not-covered'],
  ])('is found again by a reinstalled app, which it covers or not: %i', async (afterMs, ok, status) => {
    const { device, license, service, releasedAtMs } = await licensed(afterMs)
    await device.elapse(11 * dayMs)
    const reinstalled = createTestDevice(null, { service, rules: { releasedAtMs } })
    reinstalled.clock.jump(device.clock.now() - reinstalled.clock.now())
    expect(await reinstalled.core.activate(license.id)).toMatchObject({ ok, state: { status, entitled: ok } })
    expect(license.keys).toHaveLength(1)
  })

  test('that covers this build is not replaced by one that does not', async () => {
    const { device, model } = await licensed(-dayMs)
    await device.elapse(11 * dayMs)
    const other = model.addLicense(1)
    other.expiresAtMs = device.clock.now() - 100 * dayMs
    model.addKey(other, `Work laptop [${device.state.device?.fingerprint}]`)
    expect(await device.core.activate(other.id)).toMatchObject({
      ok: false,
      problem: { code: 'license-expired' },
    })
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test('covers the same builds with a clock that was set back or ahead', async () => {
    for (const jumpMs of [-30 * dayMs, 400 * dayMs]) {
      const later = await licensed(dayMs)
      const earlier = await licensed(-dayMs)
      const jump = async ({ device, fates }: Licensed): Promise<void> => {
        await device.elapse(11 * dayMs)
        fates.validate = Array.from({ length: 50 }, () => lost)
        device.clock.jump(jumpMs)
        await device.launch()
      }
      await jump(later)
      await jump(earlier)
      expect(later.device.state.status).toBe('not-covered')
      expect(earlier.device.state.status).not.toBe('not-covered')
      expect(earlier.device.core.covers(earlier.endMs)).toBe(true)
      expect(earlier.device.core.covers(earlier.endMs + 1)).toBe(false)
    }
  })
})

describe('an updater', () => {
  test('knows by the release date whether this device could use a build', async () => {
    const { device, endMs } = await licensed(-dayMs)
    const { core } = device
    expect([core.covers(endMs), core.covers(endMs + 1), core.covers(null)]).toEqual([true, false, true])
    await device.elapse(11 * dayMs)
    expect([core.covers(endMs), core.covers(endMs + 1), core.covers(null)]).toEqual([true, false, false])
  })

  test('can install every build without a license, with one without an end, and with expiry "lock"', async () => {
    const free = await licensed(0, null)
    expect(free.device.core.covers(Number.MAX_SAFE_INTEGER)).toBe(true)
    await free.device.core.deactivate()
    expect(free.device.core.covers(Number.MAX_SAFE_INTEGER)).toBe(true)
    const locking = await licensed(undefined)
    expect(locking.device.core.covers(Number.MAX_SAFE_INTEGER)).toBe(true)
  })

  test('can install every build while the service reports a license as valid after its end', async () => {
    const { service, says } = createScriptedService(false)
    const startMs = Date.now()
    const device = createTestDevice(null, { service, rules: { releasedAtMs: startMs } })
    const outcome = await service.activate({ licenseKey: 'a', deviceName: 'a', fingerprint: '0'.repeat(16) })
    if (outcome.kind !== 'answer') throw new Error('The scripted service refused')
    const { license, activation } = outcome.value
    const value = { activation, license: { ...license, endsAtMs: startMs - dayMs } }
    says.activate.push({ ...outcome, value: { ...value, activation: { ...activation, fingerprint: null } } })
    await device.core.activate('a license key')
    expect(device.state.status).toBe('active')
    expect(device.core.covers(startMs)).toBe(true)
  })
})

const ended: ActivationRecord = {
  ...activation,
  verdict: 'expired',
  validAtMs: nowMs - 5 * dayMs,
  license: { ...facts, expiresAt: '2029-12-31' },
}

describe('the end of what is covered', () => {
  test.each([
    ['a bare day lasts to its end', '2029-12-31', Date.UTC(2030, 0, 1)],
    ['a time without a zone is UTC', '2029-12-31 10:00:00', Date.UTC(2029, 11, 31, 10)],
    ['a zone counts', '2029-12-31T10:00:00+09:00', Date.UTC(2029, 11, 31, 1)],
    ['the last second counts', '2029-12-31T23:59:59.999999Z', Date.UTC(2029, 11, 31, 23, 59, 59, 999)],
  ])('%s', (_what, expiresAt, endMs) => {
    const record = { ...ended, license: { ...facts, expiresAt } }
    expect(coveredUntilMs(record)).toBe(endMs)
    expect([coversBuild(record, endMs), coversBuild(record, endMs + 1)]).toEqual([true, false])
  })

  test('is the last valid answer if the service does not report it', () => {
    const record = { ...ended, license: { ...facts, expiresAt: null } }
    expect(coveredUntilMs(record)).toBe(record.validAtMs)
    // It was never valid here.
    expect(coveredUntilMs({ ...record, validAtMs: record.decidedAtMs })).toBe(Number.NEGATIVE_INFINITY)
  })

  test('is never reached without one', () => {
    const record = { ...ended, verdict: 'valid' as const, license: { ...facts, expiresAt: null } }
    expect(coversBuild(record, Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(coversBuild(record, undefined)).toBe(false)
  })
})

test('at any times, an ended license entitles only builds released up to its end', () => {
  const ms = fc.integer({ min: -30 * dayMs, max: 30 * dayMs })
  fc.assert(
    fc.property(ms, ms, ms, ms, fc.boolean(), (endsIn, releasedIn, saidIn, laterMs, isLost) => {
      const endMs = nowMs + endsIn
      const expiresAt = new Date(endMs).toISOString()
      const saidAtMs = nowMs + saidIn
      const held = { ...ended, decidedAtMs: saidAtMs, license: { ...facts, expiresAt } }
      const rules = { ...defaultRules, releasedAtMs: nowMs + releasedIn }
      const atMs = saidAtMs + Math.abs(laterMs)
      const reach = { service: 'commerce', isUnreachable: isLost, requiresLease: false, isSealed: true }
      const { status } = entitlementOf({ ...emptyRecord, activation: held }, atMs, rules, reach)
      const isCovered = releasedIn <= endsIn
      if (!isCovered) expect(status).toBe('not-covered')
      else if (atMs - saidAtMs < rules.graceMs) expect(status).toBe(isLost ? 'grace' : 'active')
      else expect(status).toBe('unverified')
    }),
    { numRuns: 300 },
  )
})

test('an app can send this device’s lease to its own server, and null without one', async () => {
  const { service, device, license } = await licensed(undefined)
  expect(device.core.lease()).toBeNull()
  await device.core.deactivate()
  const { fingerprint } = await device.device.identify(null)
  const lease: Lease = {
    jws: 'signed',
    fingerprint,
    isEntitled: true,
    hasEnded: false,
    issuedAtMs: Date.now(),
    expiresAtMs: Date.now() + dayMs,
    license: { expiresAt: null, plan: null, features: [] },
  }
  const signing: LicenseService = {
    ...service,
    async activate(request, call) {
      const outcome = await service.activate(request, call)
      return outcome.kind === 'answer' ? { ...outcome, proof: lease.jws } : outcome
    },
  }
  const leased = createTestDevice(null, { service: signing, leases: { verify: () => lease } })
  expect(leased.core.lease()).toBeNull()
  await leased.core.activate(license.id)
  expect(leased.core.lease()).toBe('signed')
})

test('an adapter’s documented “expired” covers builds released before the end', async () => {
  const { service, says } = createScriptedService(false)
  const startMs = Date.now()
  for (const [releasedAtMs, status] of [
    [startMs - hourMs, 'active'],
    [startMs + 3 * dayMs, 'not-covered'],
  ] as const) {
    const device = createTestDevice(null, { service, rules: { releasedAtMs } })
    await device.core.activate('a license key')
    device.clock.jump(dayMs)
    says.validate.push(refusal('expired'))
    await device.core.validate()
    // It doesn't report when, so builds released before the last valid answer are covered.
    expect(device.state.status).toBe(status)
  }
})
