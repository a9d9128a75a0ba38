import { describe, expect, test } from 'vitest'
import type { CommercePort } from '../../../../src/core/ports/commerce-port.ts'
import { oldCommercePort } from '../../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, hourMs, type TestDevice } from '../../fixture.ts'
import { says } from '../../scene.ts'
import { createServiceModel, type Fate } from '../../service-model.ts'
import { world } from './service-that-lists-what-is-gone.ts'

describe.each([{ refusesTwice: false }, { refusesTwice: true }])(
  'a service that keeps listing deactivated activations: %j',
  ({ refusesTwice }) => {
    test('deactivating and activating repeatedly never uses more than one seat', async () => {
      const { device, license, seats } = await world({ refusesTwice, limit: 1 })
      for (let round = 0; round < 4; round += 1) {
        expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
        expect(seats()).toHaveLength(1)
        await device.elapse(2 * dayMs)
        expect(device.state).toMatchObject({ status: 'active', problem: null })
        expect((await device.vaultOnDisk()).outbox).toEqual([])
        expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
        expect(seats()).toEqual([])
        expect((await device.vaultOnDisk()).outbox).toEqual([])
      }
    })

    test('activating again gives a new seat to a device that was released elsewhere', async () => {
      const { device, license, seats, release } = await world({ refusesTwice })
      await device.core.activate(license.id)
      await device.elapse(2 * dayMs)
      release(license.keys[0]?.id ?? '')
      expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
      expect(seats()).toEqual([])
      expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
      await device.elapse(dayMs)
      expect(seats()).toHaveLength(1)
      expect((await device.vaultOnDisk()).activation?.keyId).toBe(seats()[0])
      expect((await device.vaultOnDisk()).outbox).toEqual([])
    })

    test('reports that other devices use the last seat', async () => {
      const { device, license, fates } = await world({ refusesTwice, limit: 1 })
      await device.core.activate(license.id)
      await device.core.deactivate()
      const model = createServiceModel(() => device.clock.now())
      license.keys = [...license.keys, model.addKey(license, 'Tower [0000000000000000]')].slice(-2)
      fates.activate = [{ kind: 'status', status: 422, isJson: true }]
      expect(await device.core.activate(license.id)).toMatchObject({
        ok: false,
        problem: { code: 'no-seat-left' },
      })
    })
  },
)

test('a deactivation whose response was lost is completed by the next activation', async () => {
  const { device, license, seats, fates } = await world({ refusesTwice: true })
  await device.core.activate(license.id)
  fates.deactivate = [{ kind: 'answer-lost' }]
  expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
  await device.elapse(hourMs)
  expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
  expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
  await device.launch()
  expect(seats()).toHaveLength(1)
  expect((await device.vaultOnDisk()).outbox).toEqual([])
})

test('a seat isn’t called free if every second request reaches a host that answers 404', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(3)
  let isInTurn: boolean | null = null
  const port = oldCommercePort(
    model.reachedBy(() => {
      if (isInTurn === null) return { kind: 'served' }
      isInTurn = !isInTurn
      return isInTurn ? says(404) : { kind: 'served' }
    }),
  )
  const device: TestDevice = createTestDevice(null, { commerce: port })
  model.addKey(license, 'Tower [0000000000000000]')
  await device.launch()
  await device.core.activate(license.id)
  isInTurn = false
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  expect(license.keys).toHaveLength(2)
  isInTurn = null
  await device.launch()
  expect(license.keys).toHaveLength(1)
  expect((await device.vaultOnDisk()).outbox).toEqual([])
})

describe('while a proxy refuses every validation and passes everything else on', () => {
  test('repeated clicks use one seat in the end', async () => {
    const { device, license, seats, box } = await world({ limit: 99 })
    await device.core.activate(license.id)
    await device.elapse(2 * dayMs)
    box.refusesValidate = true
    for (let click = 0; click < 10; click += 1) {
      await device.core.reactivate()
      expect(seats().length).toBeLessThanOrEqual(2)
      expect(device.state).toMatchObject({ entitled: true })
    }
    for (let click = 0; click < 10; click += 1) {
      await device.core.deactivate()
      await device.core.activate(license.id)
      expect(seats().length).toBeLessThanOrEqual(2)
    }
    box.refusesValidate = false
    await device.core.activate(license.id)
    await device.launch()
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(seats()).toHaveLength(1)
    expect((await device.vaultOnDisk()).activation?.keyId).toBe(seats()[0])
  })

  test('deactivating and activating while no seat can be released uses at most two more seats', async () => {
    const { device, license, seats, box, fates } = await world({ limit: 99 })
    await device.core.activate(license.id)
    box.refusesValidate = true
    const outcomes: boolean[] = []
    for (let round = 0; round < 5; round += 1) {
      fates.deactivate = Array.from({ length: 9 }, () => ({ kind: 'status', status: 404, isJson: true }))
      expect(await device.core.deactivate()).toMatchObject({ seat: 'freed-later' })
      outcomes.push((await device.core.activate(license.id)).ok)
    }
    expect(outcomes).toEqual([true, false, false, false, false])
    expect(seats()).toHaveLength(2)
    box.refusesValidate = false
    fates.deactivate = []
    expect(await device.launch()).toMatchObject({ status: 'active' })
    await device.launch()
    expect(seats()).toHaveLength(1)
  })

  test('a license without free seats keeps its activation', async () => {
    const { device, license, seats, box } = await world({ limit: 1 })
    await device.core.activate(license.id)
    await device.elapse(2 * dayMs)
    const before = seats()
    box.refusesValidate = true
    expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'unconfirmed' } })
    expect(device.state).toMatchObject({ entitled: true })
    box.refusesValidate = false
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(seats()).toEqual(before)
  })

  test('repeated clicks use at most one more seat if it refuses every activation that it passed on', async () => {
    const { device, license, seats, box, fates } = await world({ limit: 99 })
    await device.core.activate(license.id)
    await device.elapse(2 * dayMs)
    const before = seats()
    box.refusesValidate = true
    fates.activate = Array.from({ length: 9 }, () => ({ kind: 'status-after', status: 404 }))
    const taken: number[] = []
    for (let click = 0; click < 5; click += 1) {
      expect(await device.core.reactivate()).toMatchObject({ ok: false, state: { entitled: true } })
      taken.push(seats().length)
      // Frees the seat that was taken.
      await device.core.cancelActivation()
      expect(seats()).toEqual(before)
    }
    expect(taken).toEqual([2, 1, 1, 1, 1])
    box.refusesValidate = false
    fates.activate = []
    expect(await device.launch()).toMatchObject({ status: 'active' })
    await device.elapse(dayMs)
    expect(seats()).toHaveLength(1)
  })

  test('another app on the same device keeps its activation', async () => {
    const { device, license, seats, box } = await world({ limit: 3 })
    await device.core.activate(license.id)
    const before = seats()
    // The same computer, with a separate record.
    device.store.place('newest', null)
    device.store.place('lastGood', null)
    await device.launch()
    box.refusesValidate = true
    await device.core.activate(license.id)
    await device.launch()
    expect(seats()).toEqual(expect.arrayContaining([...before]))
    box.refusesValidate = false
    await device.launch()
    expect(seats()).toEqual(before)
    expect((await device.vaultOnDisk()).activation?.keyId).toBe(before[0])
  })
})

test('an activation that is briefly refused is found again on a license that it fills', async () => {
  const { device, license, seats, fates } = await world({ limit: 1 })
  const refused: Fate = { kind: 'status', status: 400, isJson: true }
  fates.activate = [{ kind: 'status-after', status: 403 }]
  fates.validate = [refused]
  expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
  expect(seats()).toHaveLength(1)
  expect(await device.launch()).toMatchObject({ status: 'active' })
  expect(seats()).toHaveLength(1)
})

describe('a deactivation that succeeds while the key is still shown', () => {
  const status = (code: number, isJson: boolean): Fate => ({ kind: 'status', status: code, isJson })
  test.each<[string, Fate, 'freed' | 'freed-later']>([
    ['404 in JSON', status(404, true), 'freed'],
    ['422 in JSON', status(422, true), 'freed'],
    ["404 with a proxy's page", status(404, false), 'freed-later'],
    ['403 in JSON', status(403, true), 'freed-later'],
    ['503', status(503, true), 'freed-later'],
    ['nothing', { kind: 'request-lost' }, 'freed-later'],
    ['that it is valid', { kind: 'served' }, 'freed-later'],
  ])('and validation responds with %s', async (_what, fate, seat) => {
    const model = createServiceModel(() => device.clock.now())
    const license = model.addLicense(2)
    const fates: Fate[] = []
    const port = oldCommercePort(
      model.reachedBy((operation) =>
        operation === 'validate' ? (fates.shift() ?? { kind: 'served' }) : { kind: 'served' },
      ),
    )
    const deactivate: CommercePort['deactivate'] = async () => ({
      value: { message: 'Deactivated.' },
      serverDateMs: device.clock.now(),
    })
    const device: TestDevice = createTestDevice(null, { commerce: { ...port, deactivate } })
    await device.launch()
    await device.core.activate(license.id)
    fates.push(fate)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat })
  })

  test('and validation responds with another key', async () => {
    const model = createServiceModel(Date.now)
    const license = model.addLicense(2)
    const other = model.addKey(license, 'Tower [0000000000000000]')
    const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    const device: TestDevice = createTestDevice(null, {
      commerce: {
        ...port,
        validate: (licenseId) => port.validate(licenseId, other.id),
        deactivate: async () => ({ value: { message: 'Deactivated.' }, serverDateMs: null }),
      },
    })
    await device.launch()
    await device.core.activate(license.id)
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  })
})
