import { describe, expect, onTestFinished, test } from 'vitest'
import { decide } from '../../src/core/record/decide.ts'
import type { Reading } from '../../src/core/record/reading.ts'
import { sealDocument } from '../../src/core/record/sealed-document.ts'
import { withService } from '../../src/core/record/seats/service-of-record.ts'
import type { Vault } from '../../src/core/record/vault.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  startTestService,
  type TestDevice,
  type TestService,
} from '../core/fixture.ts'
import { createServiceModel } from '../core/service-model.ts'
import { createMemoryStore } from '../doubles/memory-store.ts'
import { oldCommercePort } from '../doubles/old-core-port.ts'
import { type AdapterName, adapterNames, type FaceScene, startFace } from './faces.ts'

/** A customer who activated with one service, and then got an update of the app that asks another one. */
async function moved(
  from: AdapterName,
  to: AdapterName,
): Promise<{ before: FaceScene; after: FaceScene; old: TestDevice; device: TestDevice }> {
  const before = await startFace(from)
  const after = await startFace(to)
  const old = before.device()
  await old.launch()
  await old.core.activate(before.licenseKey)
  return { before, after, old, device: after.device({ store: old.store, secrets: old.secrets }) }
}

/** What a device would have left if a gateway had been in front of its service. */
async function leftUnnamed(old: TestDevice): Promise<Pick<TestDevice, 'store' | 'secrets'>> {
  await old.quit()
  const { service: _, activation, ...rest } = await old.vaultOnDisk()
  if (activation === null) throw new Error('unreachable')
  const { lease: __, ...unsigned } = activation
  const { document } = await sealDocument({ ...rest, activation: unsigned }, null, old.secrets)
  return { store: createMemoryStore({ newest: JSON.stringify(document) }), secrets: old.secrets }
}

describe.each([
  ['polar', 'lemon-squeezy'],
  ['lemon-squeezy', 'keygen'],
  ['keygen', 'dodo'],
] as const)('an app that moved from %s to %s', (from, to) => {
  test('keeps the customer working until grace ends, asks for the new key, and sends the old one nowhere', async () => {
    const { before, after, device } = await moved(from, to)
    await device.launch()
    expect(device.state).toMatchObject({
      status: 'grace',
      entitled: true,
      problem: { code: 'license-of-other-service' },
    })
    await device.elapse(13 * dayMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    expect(after.asked()).toBe(0)
    expect(before.seats()).toHaveLength(1)
    // The old service's record stays in its own file.
    expect(device.store.setAsideTexts).not.toEqual([])
  })

  test('logs once which service the record is of and which one is in use', async () => {
    const { old, device } = await moved(from, to)
    await device.launch()
    await device.elapse(3 * dayMs)
    expect(device.logger.lines.filter((line) => line.includes('license record'))).toEqual([
      `info The license record is of ${from}, and the service in use is ${to}. The user is asked for a new license key.`,
    ])
    await old.elapse(3 * dayMs)
    expect(old.logger.lines.join('\n')).not.toContain('license record')
  })

  test('accepts the new license key, and doesn’t ask the new service for the old seat', async () => {
    const { after, device } = await moved(from, to)
    await device.launch()
    expect(await device.core.activate(after.licenseKey)).toMatchObject({
      ok: true,
      state: { status: 'active' },
    })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.vaultOnDisk()).toMatchObject({
      service: to,
      activation: { licenseId: after.licenseKey },
      outbox: [],
    })
    expect((await device.vaultOnDisk()).activation?.service).toBeUndefined()
  })

  test('tells of the new key’s seat if the activation with it was cut off', async () => {
    const { after, device } = await moved(from, to)
    await device.launch()
    after.emulator.control.faults.inject({
      fault: 'reset',
      operation: 'activate',
      when: 'after-acting',
      times: 1,
    })
    await device.core.activate(after.licenseKey)
    await device.core.validate()
    const isListed = to === 'keygen'
    const expected = isListed
      ? { status: 'active', problem: null }
      : { status: 'grace', entitled: true, problem: { code: 'seat-may-be-taken' } }
    expect(device.state).toMatchObject(expected)
    await device.launch()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject(expected)
    expect(after.seats()).toHaveLength(1)
    // The user now knows what another request may cost.
    expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('forgets the old activation when the user deactivates, and does not claim to have freed its seat', async () => {
    const { before, device } = await moved(from, to)
    await device.launch()
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'not-freed' })
    expect(before.seats()).toHaveLength(1)
    expect(await device.vaultOnDisk()).toMatchObject({ activation: null, outbox: [] })
  })
})

describe.each(adapterNames)('an app that moved to %s from a service that it didn’t name', (to) => {
  /** A customer who activated with the commerce service. Behind a gateway, the record looks the same. */
  async function movedFromCommerce(): Promise<{ service: TestService; after: FaceScene; old: TestDevice }> {
    const service = await startTestService()
    onTestFinished(() => service.emulator.close())
    const old = createTestDevice(service)
    await old.launch()
    await old.core.activate(service.newLicense().id)
    return { service, after: await startFace(to), old }
  }

  /** What an app behind a gateway in front of the same service left on the computer. */
  async function leftByGateway(scene: FaceScene): Promise<Pick<TestDevice, 'store' | 'secrets'>> {
    const old = scene.device()
    await old.launch()
    await old.core.activate(scene.licenseKey)
    return leftUnnamed(old)
  }

  /** For two days, a wrong setting of the app makes the service say that it doesn't know the activation. */
  async function corrected(): Promise<{ scene: FaceScene; device: TestDevice }> {
    const scene = await startFace(to)
    const wrong = await startFace(to)
    const left = await leftByGateway(scene)
    wrong.rewrite = { from: scene.licenseKey, to: `${scene.licenseKey.slice(0, -4)}0000` }
    const before = wrong.device(left)
    await before.launch()
    await before.elapse(2 * dayMs)
    expect(before.state).toMatchObject({ status: 'grace', problem: { code: 'license-of-other-service' } })
    expect(await before.vaultOnDisk()).toMatchObject({ activation: { service: 'unnamed' } })
    await before.quit()
    return { scene, device: scene.device(left) }
  }

  test('is active again at the first check after a wrong setting is corrected', async () => {
    const { scene, device } = await corrected()
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect((await device.vaultOnDisk()).activation?.service).toBeUndefined()
    await device.elapse(20 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('uses its seat again if the user activates once a wrong setting is corrected', async () => {
    const { scene, device } = await corrected()
    scene.answer = () => new Response('down', { status: 503 })
    expect(await device.launch()).toMatchObject({
      status: 'grace',
      problem: { code: 'license-of-other-service' },
    })
    scene.answer = null
    expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
    expect(scene.seats()).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
    expect(await device.vaultOnDisk()).toMatchObject({ outbox: [] })
  })

  test('keeps the customer working until grace ends, and asks for the new key', async () => {
    const { after, old } = await movedFromCommerce()
    const device = after.device({ store: old.store, secrets: old.secrets })
    await device.launch()
    expect(device.state.entitled).toBe(true)
    await device.elapse(3 * dayMs)
    const asked = after.asked()
    expect(device.state).toMatchObject({ status: 'grace', problem: { code: 'license-of-other-service' } })
    expect(device.logger.lines).toContain(
      `info The license record is of another service, and the service in use is ${to}. The user is asked for a new license key.`,
    )
    await device.launch()
    await device.elapse(10 * dayMs)
    expect(device.state).toMatchObject({ status: 'grace', problem: { code: 'license-of-other-service' } })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    // The new service has said that it doesn't know the activation. It's still asked, but only at each launch and once a
    // day. A check takes up to two requests.
    const checks = 1 + 12
    expect(after.asked() - asked).toBeLessThanOrEqual(2 * (checks + 1))
    expect(after.asked() - asked).toBeGreaterThanOrEqual(checks - 1)
    expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.vaultOnDisk()).toMatchObject({ service: to, outbox: [] })
  })

  test('is entitled at every moment, and keeps what the old service said', async () => {
    const { after, old } = await movedFromCommerce()
    const before = (await old.vaultOnDisk()).activation
    const device = after.device({ store: old.store, secrets: old.secrets })
    expect(await device.decide()).toMatchObject({ entitled: true })
    for (let hour = 0; hour < 72; hour += 1) {
      await device.elapse(hourMs)
      expect(device.state.entitled).toBe(true)
    }
    const { activation } = await device.vaultOnDisk()
    expect(activation).toMatchObject({ verdict: 'valid', validAtMs: before?.validAtMs, service: 'unnamed' })
  })

  test('is active again if it returns', async () => {
    const { service, after, old } = await movedFromCommerce()
    const device = after.device({ store: old.store, secrets: old.secrets })
    await device.launch()
    await device.elapse(3 * dayMs)
    await device.quit()
    const back = createTestDevice(service, { store: old.store, secrets: old.secrets })
    expect(await back.launch()).toMatchObject({ status: 'active', problem: null })
  })

  test('continues without a pause if the gateway was in front of it', async () => {
    const scene = await startFace(to)
    const device = scene.device(await leftByGateway(scene))
    expect(await device.decide()).toMatchObject({ status: 'active', entitled: true })
    await device.settled()
    await device.elapse(20 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
    expect((await device.vaultOnDisk()).activation).not.toHaveProperty('isUnconfirmed')
  })
})

describe('an app that moved to a service with a list that lacks its activation', () => {
  async function movedToList() {
    const model = createServiceModel(() => device.clock.now())
    const commerce = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    const old = createTestDevice(null, { commerce })
    const { store, secrets } = old
    const device = createTestDevice(null, { commerce: { ...commerce, name: 'keygen' }, store, secrets })
    const license = model.addLicense(1)
    await old.launch()
    await old.core.activate(license.id)
    await old.quit()
    const { keys } = license
    license.keys = []
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    expect((await device.vaultOnDisk()).activation?.service).toBe('unnamed')
    return { device, license, keys }
  }

  test('is active again within the hour if the list was outdated', async () => {
    const { device, license, keys } = await movedToList()
    license.keys = keys
    await device.elapse(hourMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('shows grace during each check', async () => {
    const { device } = await movedToList()
    const shown = device.states.length
    await device.elapse(3 * dayMs)
    expect(device.states.length).toBeGreaterThan(shown)
    const statuses = new Set(device.states.slice(shown).map(({ status }) => status))
    expect([...statuses]).toEqual(['grace'])
    expect(await device.decide()).toMatchObject({ status: 'grace' })
  })
})

test('an app that returns to the previous service is active at once', async () => {
  const { before, old, device } = await moved('polar', 'lemon-squeezy')
  await device.launch()
  await device.quit()
  const back = before.device({ store: old.store, secrets: old.secrets })
  await back.launch()
  expect(back.state).toMatchObject({ status: 'active', problem: null })
})

const at = Date.parse('2026-11-01T09:15:30.250Z')
const record: Vault = {
  activation: {
    licenseId: 'INKWELL-1C285B2D-6CE6-4BC7-B8BE-ADB6A7E304DA',
    keyId: 'act_1',
    fingerprint: '8c1f5f0a2b3d4e6f',
    activatedAtMs: at,
    verdict: 'valid',
    decidedAtMs: at,
    validAtMs: at,
    license: { activationLimit: 3, activationUsage: 1, expiresAt: null, suspendedAt: null, status: 'ACTIVE' },
  },
  pending: { licenseId: 'KEY-2', requestedAtMs: at, lateUntilMs: at, seatsBefore: 1 },
  outbox: [{ licenseId: 'KEY-3', keyId: 'act_3' }],
  markMs: at,
  wallMs: at,
  trialStartedAtMs: null,
  service: 'polar',
}

const emptyFacts = { activationLimit: null, activationUsage: null, expiresAt: null, suspendedAt: null }
const { service: _, ...unnamed } = record
const unconfirmed: Vault = {
  ...record,
  activation: record.activation && { ...record.activation, isUnconfirmed: true },
}

describe('a record that names no service', () => {
  test('may belong to the service in use, which has to confirm it', () => {
    expect(withService(unnamed, 'polar')).toEqual(unconfirmed)
    expect(withService(unconfirmed, 'polar')).toEqual(unconfirmed)
    expect(withService({ ...unnamed, activation: null }, 'polar')).toEqual({ ...record, activation: null })
    expect(withService(unconfirmed, undefined)).toEqual(unnamed)
  })

  test('belongs to another one if the list of the service in use lacks the activation', () => {
    const answer = (reading: Reading) =>
      decide(unconfirmed, { type: 'answered', keyId: 'act_1', reading }, at + 1)
    expect(answer({ kind: 'revoked' }).activation).toEqual({ ...record.activation, service: 'unnamed' })
    const license = { ...emptyFacts, status: 'ACTIVE' }
    const known = answer({ kind: 'licensed', verdict: 'valid', license })
    expect(known.activation).toMatchObject({ verdict: 'valid', validAtMs: at + 1 })
    expect(known.activation).not.toHaveProperty('isUnconfirmed')
    expect(known.activation?.service).toBeUndefined()
  })
})

describe('a record that names its service', () => {
  test('doesn’t change behind a gateway, which may know every license key', () => {
    const { service: _, ...rest } = record
    expect(withService(record, undefined)).toEqual(rest)
    const marked = withService(record, 'dodo')
    expect(marked).toMatchObject({
      service: 'dodo',
      activation: { service: 'polar' },
      pending: null,
      outbox: [],
    })
    expect(withService(marked, undefined).activation).toEqual(record.activation)
    expect(withService({ ...record, activation: null }, undefined).activation).toBeNull()
  })

  test('stays as it is for that service', () => {
    expect(withService(record, 'polar')).toEqual(record)
  })

  test('still names the first service when an app moves twice', () => {
    const twice = withService(withService(record, 'dodo'), 'keygen')
    expect(twice).toMatchObject({ service: 'keygen', activation: { service: 'polar' } })
    expect(withService(twice, 'polar').activation).toEqual(record.activation)
    expect(withService({ ...record, activation: null }, 'dodo').activation).toBeNull()
  })

  test('doesn’t belong to the first service unless that one confirmed it', () => {
    const twice = withService(unconfirmed, 'dodo')
    expect(twice).toMatchObject({ service: 'dodo', activation: { service: 'unnamed' } })
    const license = { ...emptyFacts, status: 'ACTIVE' }
    const reading: Reading = { kind: 'licensed', verdict: 'valid', license }
    const known = decide(twice, { type: 'answered', keyId: 'act_1', reading }, at + 1).activation
    expect(known?.service).toBeUndefined()
    expect(known?.isUnconfirmed).toBeUndefined()
  })

  test('queues no seat of the old service to be freed at the new one', () => {
    const marked = withService(record, 'dodo')
    if (record.activation === null) throw new Error('unreachable')
    const activation = { ...record.activation, licenseId: 'KEY-9', keyId: 'lki_9' }
    const evidence = { isAnswered: true, list: { kind: 'needless' }, mustReadAgain: false } as const
    const after = decide(marked, { type: 'activated', record: activation, duplicateKeyIds: [], evidence }, at)
    expect(after).toMatchObject({ activation: { keyId: 'lki_9' }, outbox: [] })
  })
})

test('with a short grace, an answer of the new service entitles nobody once grace is over', async () => {
  const model = createServiceModel(() => device.clock.now())
  const commerce = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
  const rules = { graceMs: dayMs }
  const old = createTestDevice(null, { commerce, rules })
  const device: TestDevice = createTestDevice(null, {
    ...old,
    commerce: { ...commerce, name: 'keygen' },
    rules,
  })
  const license = model.addLicense(1)
  await old.launch()
  await old.core.activate(license.id)
  await old.quit()
  license.keys = []
  await device.launch()
  await device.elapse(3 * dayMs)
  const statuses = device.states.map(({ status }) => status)
  expect(statuses).toContain('unverified')
  expect(statuses.slice(statuses.indexOf('unverified'))).not.toContain('grace')
})

// Dodo's IDs aren't UUIDs. Polar refuses to read them.
describe.each(['lemon-squeezy', 'polar'] as const)(
  'an app that moved to %s from a gateway in front of Dodo',
  (to) => {
    async function movedFromDodo(): Promise<{ after: FaceScene; device: TestDevice }> {
      const before = await startFace('dodo')
      const old = before.device()
      await old.launch()
      await old.core.activate(before.licenseKey)
      const left = await leftUnnamed(old)
      const after = await startFace(to)
      const device = after.device(left)
      await device.launch()
      return { after, device }
    }

    async function expectOneSeat(after: FaceScene, device: TestDevice): Promise<void> {
      expect(await device.core.activate(after.licenseKey)).toMatchObject({ ok: true })
      await device.elapse(2 * dayMs)
      expect(device.state).toMatchObject({ status: 'active', problem: null })
      // As after any move, a license key that the new service doesn't know may be a replaced one for a month.
      await device.elapse(31 * dayMs)
      expect(await device.vaultOnDisk()).toMatchObject({ service: to, pending: null, outbox: [] })
      expect(after.seats()).toHaveLength(1)
    }

    test('accepts the new license key at once', async () => {
      const { after, device } = await movedFromDodo()
      await expectOneSeat(after, device)
    })

    test('asks for the new key, and accepts it once grace is over', async () => {
      const { after, device } = await movedFromDodo()
      await device.elapse(3 * dayMs)
      expect(device.state).toMatchObject({ status: 'grace', problem: { code: 'license-of-other-service' } })
      await device.elapse(13 * dayMs)
      expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
      await expectOneSeat(after, device)
    })

    test('ends a deactivation, and accepts the new key after it', async () => {
      const { after, device } = await movedFromDodo()
      await device.core.deactivate()
      await device.elapse(3 * dayMs)
      expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
      await expectOneSeat(after, device)
    })
  },
)

test.each(['before', 'after'])(
  'a refusal to read the activation’s ID costs no second seat if the license key was replaced %s a move to Polar from its gateway',
  async (when) => {
    const scene = await startFace('polar')
    const old = scene.device()
    await old.launch()
    await old.core.activate(scene.licenseKey)
    const device = scene.device(await leftUnnamed(old))
    if (when === 'after') await device.launch()
    const replacement = 'INKWELL-11111111-2222-4333-8444-555555555555'
    scene.rewrite = { from: replacement, to: scene.licenseKey }
    await device.launch()
    const invalid = { error: 'RequestValidationError', detail: [{ loc: ['body', 'activation_id'] }] }
    let refusals = 1
    scene.answer = () => (refusals-- > 0 ? Response.json(invalid, { status: 422 }) : null)
    await device.core.activate(replacement)
    expect(refusals).toBeLessThan(1)
    expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  },
)
