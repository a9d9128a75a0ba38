import { CommerceError, type CommerceErrorDetails } from '@latchkey/commerce'
import { describe, expect, test } from 'vitest'
import type { CommercePort } from '../../../src/core/ports/commerce-port.ts'
import { describeSession } from '../../../src/core/state/describe-session.ts'
import { oldCommercePort } from '../../doubles/old-core-port.ts'
import { createTestDevice, dayMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate, type ModelLicense, type ModelOperation } from '../service-model.ts'

/** A proxy or router between app and service, which can lose its routes and find them again. */
interface Box {
  /** Its answer to every request. `null` if it forwards them. */
  answer: Fate | null
  readonly asked: ModelOperation[]
}

interface World {
  readonly box: Box
  readonly license: ModelLicense
  readonly device: TestDevice
  readonly commerce: CommercePort
}

async function world(): Promise<World> {
  const asked: ModelOperation[] = []
  const box: Box = { answer: null, asked }
  const model = createServiceModel(() => device.clock.now())
  const commerce = oldCommercePort(
    model.reachedBy((operation) => {
      asked.push(operation)
      return box.answer ?? { kind: 'served' }
    }),
  )
  const device: TestDevice = createTestDevice(null, { commerce })
  await device.launch()
  return { box, license: model.addLicense(1), device, commerce }
}

const boxes: readonly Fate[] = [400, 401, 403, 404, 409, 410, 422, 429, 503].flatMap((status) => [
  { kind: 'status', status, isJson: true },
  { kind: 'status', status, isJson: false },
])

describe.each(boxes)('while a box answers everything with %j', (answer) => {
  test('an activated device stays entitled until grace ends, and is active again once the box is gone', async () => {
    const { box, license, device } = await world()
    await device.core.activate(license.id)
    box.answer = answer
    for (let day = 0; day < 13; day += 1) {
      await device.elapse(dayMs)
      await device.core.validate()
      expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    }
    expect(await device.core.reactivate()).toMatchObject({ ok: false, state: { entitled: true } })
    box.answer = null
    expect(await device.launch()).toMatchObject({ status: 'active', entitled: true })
    expect(license.keys).toHaveLength(1)
  })

  test('a device that is signed out owes its seat, and frees it once the box is gone', async () => {
    const { box, license, device } = await world()
    await device.core.activate(license.id)
    box.answer = answer
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(dayMs)
    expect((await device.vaultOnDisk()).outbox).toHaveLength(1)
    box.answer = null
    await device.launch()
    expect(license.keys).toEqual([])
    expect((await device.vaultOnDisk()).outbox).toEqual([])
  })

  test('a first activation fails without taking a seat that nobody knows of', async () => {
    const { box, license, device } = await world()
    box.answer = answer
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      state: { status: 'unlicensed' },
    })
    box.answer = null
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(1)
  })
})

test('a key that is already gone is proven by the list before its seat counts as free', async () => {
  const { license, device, commerce } = await world()
  await device.core.activate(license.id)
  const [mine] = license.keys
  await commerce.deactivate(license.id, mine?.id ?? '')
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
  expect((await device.vaultOnDisk()).outbox).toEqual([])
})

test.each([400, 404, 409, 410, 422])(
  'a seat that was taken behind a box that answers everything with %d is freed once the box is gone',
  async (status) => {
    const { box, license, device } = await world()
    box.answer = { kind: 'status-after', status }
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    expect(license.keys).toHaveLength(1)
    await device.elapse(3 * dayMs)
    box.answer = null
    await device.elapse(2 * dayMs)
    expect(license.keys).toEqual([])
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
  },
)

describe('a license key the service does not know', () => {
  test.each([400, 404, 410, 422].flatMap((status) => [true, false].map((isJson) => ({ status, isJson }))))(
    'is told as mistyped, and nothing is left pending, nor sent again: %j',
    async ({ status, isJson }) => {
      const { box, device } = await world()
      box.answer = { kind: 'status', status, isJson }
      const mistyped = '00000000-0000-4000-8000-000000000000'
      expect(await device.core.activate(mistyped)).toMatchObject({
        ok: false,
        problem: { code: 'license-not-found' },
      })
      expect((await device.vaultOnDisk()).pending).toBeNull()
      box.asked.length = 0
      // The list is requested for a while, in case a proxy answered instead of the service.
      expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
      expect(device.core.diagnose(describeSession)).toContain('seats waiting to be freed: 0')
      await device.elapse(40 * dayMs)
      expect(new Set(box.asked)).toEqual(new Set(['keys']))
      expect(box.asked.length).toBeLessThan(50)
      expect((await device.vaultOnDisk()).outbox).toEqual([])
      expect(device.state.problem).toBeNull()
    },
  )

  test('is no problem on the screen while nobody can be asked', async () => {
    const { box, device } = await world()
    box.answer = { kind: 'status', status: 404, isJson: true }
    await device.core.activate('00000000-0000-4000-8000-000000000000')
    box.answer = { kind: 'request-lost' }
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
  })

  test.each([401, 403])('but where the app itself is refused (%d) the key is not blamed', async (status) => {
    const { box, device } = await world()
    box.answer = { kind: 'status', status, isJson: true }
    expect(await device.core.activate('00000000-0000-4000-8000-000000000000')).toMatchObject({
      problem: { code: 'unauthorized' },
    })
  })
})

describe.each<[string, CommerceErrorDetails]>([
  ['JSON of another shape', { status: 200, bodyIsJson: true }],
  ['a page', { status: 200, bodyIsJson: false }],
  ['nothing', { status: 204, bodyIsJson: false, bodyIsEmpty: true }],
  ['a license of somebody else', { status: 200, bodyIsJson: true }],
])('while a box answers everything with success and %s', (what, details) => {
  async function boxed() {
    const model = createServiceModel(() => device.clock.now())
    const port = oldCommercePort(model.reachedBy(() => ({ kind: 'served' })))
    const box = { isThere: false }
    const odd = async (): Promise<never> => {
      throw new CommerceError('unexpected-answer', details)
    }
    const elses =
      what === 'a license of somebody else' ? () => port.validate(stranger.id, strangersKey.id) : odd
    const commerce: CommercePort = {
      keys: (...args) => (box.isThere ? odd() : port.keys(...args)),
      key: (...args) => (box.isThere ? odd() : port.key(...args)),
      deactivate: (...args) => (box.isThere ? odd() : port.deactivate(...args)),
      activate: (...args) => (box.isThere ? elses() : port.activate(...args)),
      validate: (...args) => (box.isThere ? elses() : port.validate(...args)),
    }
    const device: TestDevice = createTestDevice(null, { commerce })
    const stranger = model.addLicense(9)
    Object.assign(stranger, { isSuspended: true })
    const strangersKey = model.addKey(stranger, 'Tower [fedcba9876543210]')
    await device.launch()
    return { box, device, license: model.addLicense(1) }
  }

  test('nobody is locked out', async () => {
    const { box, device, license } = await boxed()
    await device.core.activate(license.id)
    box.isThere = true
    for (let day = 0; day < 13; day += 1) {
      await device.elapse(dayMs)
      await device.core.validate()
      expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    }
    box.isThere = false
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(license.keys).toHaveLength(1)
  })

  test('no seat that is owed is forgotten', async () => {
    const { box, device, license } = await boxed()
    await device.core.activate(license.id)
    box.isThere = true
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    box.isThere = false
    await device.launch()
    expect(license.keys).toEqual([])
  })

  test('nothing is activated, and it is once the box is gone', async () => {
    const { box, device, license } = await boxed()
    box.isThere = true
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      state: { status: 'unlicensed' },
    })
    box.isThere = false
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(1)
  })
})
