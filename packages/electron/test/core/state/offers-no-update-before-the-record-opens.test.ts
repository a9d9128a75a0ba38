import { expect, test } from 'vitest'
import { createAskingSecrets } from '../../doubles/fake-secrets.ts'
import { createTestDevice, dayMs, type TestDevice } from '../fixture.ts'
import { createServiceModel, type Fate, type ModelOperation } from '../service-model.ts'

/** A license that ended ten days ago and covers this build, launched again with a keychain that asks its user. */
async function launchedSealed({ locks = false } = {}) {
  const fates: Partial<Record<ModelOperation, Fate[]>> = {}
  const model = createServiceModel(() => device.clock.now())
  const service = model.reachedBy((operation) => fates[operation]?.shift() ?? { kind: 'served' })
  const { secrets, ask, answer } = createAskingSecrets()
  const endMs = Date.now() + 10 * dayMs
  const releasedAtMs = locks ? undefined : endMs - dayMs
  const device: TestDevice = createTestDevice(null, { service, secrets, rules: { releasedAtMs } })
  const license = model.addLicense(1)
  license.expiresAtMs = endMs
  await device.core.activate(license.id)
  await device.elapse(20 * dayMs)
  ask()
  expect(await device.launch()).toMatchObject({ status: 'unlicensed' })
  const covers = () => [endMs, endMs + 1, null].map((atMs) => device.core.covers(atMs))
  return { device, model, license, fates, answer, covers }
}

const none = [false, false, false]
const upToTheEnd = [true, false, false]
const all = [true, true, true]

test('while the keychain asks its user, no build is covered, and then those that the license covers', async () => {
  const { device, answer, covers } = await launchedSealed()
  expect(covers()).toEqual(none)
  answer()
  expect(await device.settled()).toMatchObject({ status: 'active' })
  expect(covers()).toEqual(upToTheEnd)
})

test('where a license locks, every build is covered anyway', async () => {
  expect((await launchedSealed({ locks: true })).covers()).toEqual(all)
})

test('with the record of a newer version every build is covered, because an update opens it', async () => {
  const { device, answer, covers } = await launchedSealed()
  answer()
  await device.settled()
  await device.quit()
  device.store.place(
    'newest',
    JSON.stringify({ ...JSON.parse(device.store.texts.newest ?? ''), version: 99 }),
  )
  expect(await device.decide()).toMatchObject({ problem: { code: 'store-newer-version' } })
  expect(covers()).toEqual(all)
})
