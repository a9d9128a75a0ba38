import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, lost, type Scene, says, scene } from '../../fixture.ts'
import type { Fate } from '../../service-model.ts'

/** A device whose first activation was cut off. When its user tries again, no seats are left. */
async function refused(): Promise<Scene> {
  const it = await scene()
  const { license, model, device, fates } = it
  fates.activate = [lost]
  fates.keys = [says(403), says(403)]
  await device.core.activate(license.id)
  fates.keys = []
  for (const name of ['Anna', 'Bob', 'Carl']) model.addKey(license, `${name} [aaaaaaaaaaaaaaaa]`)
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  return it
}

test('after the user has released a device, an activation that was cut off earlier gets its seat', async () => {
  const { license, device } = await refused()
  const [anna] = license.keys
  expect(await device.core.releaseDevice(anna?.id ?? '')).toEqual({ ok: true })
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(license.keys.map(({ name }) => name.split(' ')[0])).toEqual(['Bob', 'Carl', expect.anything()])
})

test.each(['cancelActivation', 'deactivate'] as const)('%s() forgets that license', async (verb) => {
  const { license, device } = await refused()
  await device.core[verb]()
  license.keys = []
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'not-activated' } })
  expect(license.keys).toEqual([])
})

test('a try with another key forgets that license, too', async () => {
  const { license, model, device } = await refused()
  const other = model.addLicense(1)
  model.addKey(other, 'Dora [bbbbbbbbbbbbbbbb]')
  expect(await device.core.activate(other.id)).toMatchObject({ problem: { code: 'no-seat-left' } })
  license.keys = []
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  expect([license.keys.length, other.keys.length]).toEqual([0, 1])
})

/** A released device on which another key was entered, and never answered. */
async function releasedWithAnotherKey() {
  const it = await scene()
  const { license, model, device, fates } = it
  await device.core.activate(license.id)
  license.keys = []
  await device.elapse(2 * dayMs)
  expect(device.state.status).toBe('revoked')
  const other = model.addLicense(1)
  fates.activate = [lost]
  fates.keys = Array.from({ length: 9 }, () => says(403))
  await device.core.activate(other.id)
  expect(await device.recordOnDisk()).toMatchObject({ wanted: { licenseKey: other.id } })
  fates.keys = []
  return { ...it, other }
}

test('a released device activates the key that was entered last', async () => {
  const { license, other, device } = await releasedWithAnotherKey()
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect([license.keys.length, other.keys.length]).toEqual([0, 1])
})

test('a released device activates the license that another device was released for', async () => {
  const { license, model, other, device } = await releasedWithAnotherKey()
  const bob = model.addKey(other, 'Bob [bbbbbbbbbbbbbbbb]')
  expect(await device.core.reactivate()).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
  expect(await device.core.releaseDevice(bob.id)).toEqual({ ok: true })
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect([license.keys.length, other.keys.length]).toEqual([0, 1])
})

test('a released device gets its own license back if the other key was refused and nothing was released', async () => {
  const { license, model, other, device } = await releasedWithAnotherKey()
  model.addKey(other, 'Bob [bbbbbbbbbbbbbbbb]')
  await device.core.reactivate()
  expect(await device.core.reactivate()).toMatchObject({ ok: true, state: { status: 'active' } })
  expect([license.keys.length, other.keys.length]).toEqual([1, 1])
})

const always = (fate: Fate): Fate[] => Array.from({ length: 999 }, () => fate)

/** A device of a vendor whose token may not list activations. */
async function unlisted(status = 403) {
  const here = await scene()
  const { device, model, fates } = here
  const license = model.addLicense(5)
  fates.keys = always(says(status))
  await device.core.activate(license.id)
  const release = (): void => void model.removeKey(license, license.keys[0]?.id ?? '')
  const seats = (): readonly string[] => license.keys.map(({ id }) => id)
  return { ...here, license, release, seats }
}

describe.each([401, 403, 404])('where the list of activations is refused with %d', (status) => {
  test('a device that was released elsewhere gets a new seat if its user activates it after grace', async () => {
    const { device, license, seats, release } = await unlisted(status)
    await device.elapse(2 * dayMs)
    release()
    expect(await device.launch()).toMatchObject({ status: 'grace', entitled: true })
    for (let click = 0; click < 3; click += 1) {
      expect(await device.core.activate(license.id)).toMatchObject({ ok: false, state: { entitled: true } })
    }
    await device.elapse(15 * dayMs)
    expect(await device.launch()).toMatchObject({ status: 'unverified', entitled: false })
    expect(seats()).toEqual([])
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(seats()).toHaveLength(1)
  })
})

describe('while a proxy refuses every validation and every list', () => {
  async function behindProxy(status = 404) {
    const here = await unlisted()
    here.fates.keys = always(says(status))
    here.fates.validate = always(says(status))
    await here.device.elapse(15 * dayMs)
    expect(here.device.state).toMatchObject({ status: 'unverified' })
    return here
  }

  test('repeated clicks use one seat in the end', async () => {
    const { device, license, seats, fates } = await behindProxy()
    for (let click = 0; click < 9; click += 1) {
      await device.core.activate(license.id)
      expect(seats()).toHaveLength(1)
    }
    fates.keys = []
    fates.validate = []
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect(seats()).toHaveLength(1)
    expect((await device.recordOnDisk()).activation?.activationId).toBe(seats()[0])
  })

  test('a device takes at most two more seats while none can be released', async () => {
    const { device, license, seats, fates } = await behindProxy()
    fates.deactivate = always(says(404))
    const outcomes: boolean[] = []
    for (let round = 0; round < 4; round += 1) {
      outcomes.push((await device.core.activate(license.id)).ok)
      await device.core.activate(license.id)
      await device.elapse(16 * dayMs)
    }
    expect(outcomes).toEqual([true, true, false, false])
    expect(seats()).toHaveLength(3)
    fates.keys = []
    fates.validate = []
    fates.deactivate = []
    expect(await device.launch()).toMatchObject({ status: 'active' })
    await device.elapse(dayMs)
    expect(seats()).toHaveLength(1)
  })

  test('a license without free seats keeps its activation', async () => {
    const { device, model, license, seats, fates } = await behindProxy()
    for (const digit of [0, 1, 2, 3]) model.addKey(license, `Tower [000000000000000${digit}]`)
    const before = seats()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    fates.keys = []
    fates.validate = []
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(seats()).toEqual(before)
  })
})

test('a proxy that answers everything with the same refusal costs no seat', async () => {
  const { device, license, seats, fates } = await unlisted()
  const before = seats()
  const operations = ['keys', 'key', 'validate', 'activate', 'deactivate'] as const
  for (const operation of operations) fates[operation] = always(says(404))
  await device.elapse(15 * dayMs)
  for (let click = 0; click < 5; click += 1) {
    expect(await device.core.activate(license.id)).toMatchObject({ ok: false })
    await device.elapse(hourMs)
  }
  for (const operation of operations) fates[operation] = []
  expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
  expect(seats()).toEqual(before)
})

describe('a seat that the service no longer knows after a lost answer, where nothing is listed,', () => {
  test.each([true, false])(
    'isn’t reported for longer than a day, and is asked about once a day (JSON: %s)',
    async (isJson) => {
      const { device, seats, fates, asked } = await unlisted()
      // A gateway passes on such a refusal without JSON.
      fates.deactivate = [{ kind: 'answer-lost' }, ...always(says(404, isJson))]
      expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
      expect(seats()).toEqual([])
      await device.elapse(hourMs)
      expect(device.state).toMatchObject({ problem: { code: 'deactivation-pending' } })
      await device.elapse(2 * dayMs)
      expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
      asked.length = 0
      await device.elapse(10 * dayMs)
      expect(asked.filter((operation) => operation === 'deactivate').length).toBeLessThanOrEqual(12)
      fates.keys = []
      fates.deactivate = []
      // Nothing proves that it is gone, so it is left to the device list.
      await device.elapse(20 * dayMs)
      await device.launch()
      expect((await device.recordOnDisk()).owed).toEqual([])
    },
  )

  test('stays queued for a month while a proxy refuses everything', async () => {
    const { device, seats, fates } = await unlisted()
    const operations = ['keys', 'key', 'deactivate'] as const
    for (const operation of operations) fates[operation] = always(says(404))
    await device.core.deactivate()
    await device.elapse(29 * dayMs)
    expect(seats()).toHaveLength(1)
    for (const operation of operations) fates[operation] = []
    await device.launch()
    expect(seats()).toEqual([])
    expect((await device.recordOnDisk()).owed).toEqual([])
  })
})
