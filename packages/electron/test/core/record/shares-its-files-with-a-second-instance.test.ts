import { describe, expect, test } from 'vitest'
import { createFakeSecrets, type FakeSecrets } from '../../doubles/fake-secrets.ts'
import { createSharedLock } from '../../doubles/shared-lock.ts'
import {
  createTestDevice,
  dayMs,
  hourMs,
  scene,
  signal,
  startTestService,
  type TestDevice,
} from '../fixture.ts'

const rules = { trialMs: 30 * dayMs }

/** From now on, the keychain seals only when the test lets it. */
function slowDown(secrets: FakeSecrets): { readonly sealing: Promise<void>; unlock(): void } {
  const { seal } = secrets
  const sealing = signal()
  const unlocked = signal()
  secrets.seal = async (text) => {
    sealing.resolve()
    await unlocked.promise
    return seal.call(secrets, text)
  }
  return { sealing: sealing.promise, unlock: unlocked.resolve }
}

test('a second instance that only saves the time does not overwrite the activation of the first one', async () => {
  const { license, device: first, secondInstance } = await scene({ rules })
  const second = secondInstance()
  await second.launch()
  expect(await first.core.activate(license.id)).toMatchObject({ ok: true })
  await second.elapse(3 * hourMs)
  await first.quit()
  await second.quit()
  expect(await first.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('a trial started by a second instance with a slow keychain does not replace an activation', async () => {
  const { license, device: first, secondInstance } = await scene()
  const secrets = createFakeSecrets()
  const { unlock } = slowDown(secrets)
  const second = secondInstance({ rules, secrets })
  await second.decide()
  expect(await first.core.activate(license.id)).toMatchObject({ ok: true })
  unlock()
  await second.settled()
  await first.quit()
  await second.quit()
  expect(await first.launch()).toMatchObject({ status: 'active', entitled: true })
})

test('an action of the user in the second instance counts, and costs no second seat', async () => {
  const { license, device: first, secondInstance } = await scene({ seats: 1 })
  const second = secondInstance()
  await second.launch()
  await first.core.activate(license.id)
  expect(await second.core.activate(license.id)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(license.keys).toHaveLength(1)
  expect(await first.launch()).toMatchObject({ status: 'active' })
})

test('a deactivation is kept while another instance with a slow keychain saves the time', async () => {
  const { device: first, secondInstance } = await scene({ isActivated: true })
  await first.settled()
  const secrets = createFakeSecrets()
  const second = secondInstance({ secrets })
  await second.launch()
  const { sealing, unlock } = slowDown(secrets)
  const ended = second.core.dispose()
  await sealing
  expect(await first.core.deactivate()).toMatchObject({ ok: true })
  unlock()
  await ended
  expect((await first.recordOnDisk()).activation).toBeNull()
  expect(await first.launch()).toMatchObject({ status: 'unlicensed' })
})

test('an instance loads the activation of another one at its next check', async () => {
  const { license, device: first, secondInstance } = await scene({ rules })
  const second = secondInstance()
  await second.launch()
  await first.core.activate(license.id)
  expect(second.state).toMatchObject({ status: 'trial', license: null })
  await second.elapse(1.2 * dayMs)
  expect(second.state).toMatchObject({ status: 'active', license: { activationUsage: 1 } })
})

test('an instance loads the activation of another one as soon as its window gets the focus, without a request', async () => {
  const { license, device: first, asked, secondInstance } = await scene()
  const second = secondInstance()
  await second.launch()
  await first.core.activate(license.id)
  asked.length = 0
  second.core.refresh()
  await expect.poll(() => second.state).toMatchObject({ status: 'active', entitled: true })
  expect(asked).toEqual([])
})

describe('app data that is deleted under the running app', () => {
  async function reset() {
    const it = await scene({ isActivated: true })
    await it.device.settled()
    it.device.store.place('newest', null)
    it.device.store.place('lastGood', null)
    return it
  }

  test('is not written again by checks, nor when the app quits', async () => {
    const { device } = await reset()
    await device.core.validate()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active' })
    device.core.finish()
    await device.quit()
    expect(device.store.texts).toEqual({ newest: null, lastGood: null })
    expect(await device.launch()).toMatchObject({ status: 'unlicensed', problem: null })
  })

  test('is written again when the user activates', async () => {
    const { device, license } = await reset()
    expect(await device.core.activate(license.id)).toMatchObject({ ok: true })
    await device.quit()
    expect(await device.launch()).toMatchObject({ status: 'active' })
    expect(license.keys).toHaveLength(1)
  })
})

describe('while a check is unanswered, another instance activates a new license:', () => {
  async function checkedMeanwhile() {
    const answer = signal()
    let isSlow = false
    const it = await scene({
      isActivated: true,
      wrap: (service) => ({
        ...service,
        async validate(request, call) {
          const outcome = await service.validate(request, call)
          if (isSlow && request.licenseKey === it.license.id) await answer.promise
          return outcome
        },
      }),
    })
    const bought = it.model.addLicense(1)
    const secrets = createFakeSecrets()
    const second = it.secondInstance({ secrets })
    await second.launch()
    isSlow = true
    const checked = second.core.validate()
    await it.device.core.activate(bought.id)
    return { ...it, bought, second, secrets, checked, answer: answer.resolve }
  }

  test('the response changes nothing', async () => {
    const { device, bought, checked, answer } = await checkedMeanwhile()
    answer()
    await checked
    const { activation } = await device.recordOnDisk()
    expect(activation).toMatchObject({ licenseKey: bought.id, verdict: 'valid' })
  })

  test('a deactivation releases the new license, even if the response arrives in the meantime', async () => {
    const { device, bought, second, secrets, checked, answer } = await checkedMeanwhile()
    const { open } = secrets
    secrets.open = async (...sealed) => {
      answer()
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      return open.apply(secrets, sealed)
    }
    expect(await second.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    await checked
    expect(bought.keys).toEqual([])
    expect(await device.launch()).toMatchObject({ status: 'unlicensed' })
  })
})

describe('a newer app wrote the file:', () => {
  const newer = '{"version":99}'

  test('an instance still notices the end of its trial', async () => {
    const { device } = await scene({ rules: { trialMs: 30 * hourMs } })
    device.store.place('newest', newer)
    await device.elapse(29 * hourMs)
    expect(device.state).toMatchObject({ status: 'trial', entitled: true })
    await device.elapse(2 * hourMs)
    expect(device.state).toMatchObject({
      status: 'unlicensed',
      entitled: false,
      problem: { code: 'trial-over' },
    })
  })

  test('an instance keeps checking, and does not change the file', async () => {
    const { license, device } = await scene({ isActivated: true })
    await device.settled()
    device.store.place('newest', newer)
    license.isSuspended = true
    expect(await device.core.validate()).toMatchObject({ status: 'suspended', entitled: false })
    license.isSuspended = false
    await device.elapse(15 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    expect(device.store.texts.newest).toBe(newer)
  })

  test('the file is kept when the user acts in the older one', async () => {
    const { license, device } = await scene({ isActivated: true })
    device.store.place('newest', newer)
    expect(await device.core.deactivate()).toMatchObject({ ok: true })
    expect(device.store.setAsideTexts).toEqual([newer])
    await device.core.activate(license.id)
    expect(device.store.setAsideTexts).toHaveLength(1)
  })
})

describe('while another process works,', () => {
  /** Holds a lock like another process. @returns a function that releases it. */
  async function take(lock: ReturnType<typeof createSharedLock>, { clock }: TestDevice) {
    const acquired = await lock.port(clock).acquire()
    if (acquired.kind !== 'held') throw new Error(`The lock is ${acquired.kind}`)
    return acquired.release
  }

  test('an activation waits for it, and continues from its result', async () => {
    const lock = createSharedLock()
    const { license, device, asked } = await scene({ lock })
    const release = await take(lock, device)
    const activation = device.core.activate(license.id)
    await device.clock.advance(100)
    expect(asked).toEqual([])
    await release()
    await device.clock.advance(100)
    expect(await activation).toMatchObject({ ok: true })
    expect(license.keys).toHaveLength(1)
    // The lock is free again.
    await (await take(lock, device))()
  })

  test('an app that quits does not hang', async () => {
    const lock = createSharedLock()
    const service = await startTestService()
    const device = createTestDevice(service, { lock })
    await device.launch()
    await take(lock, device)
    const activation = device.core.activate(service.newLicense().id)
    const quit = device.quit()
    await device.clock.advance(100)
    await quit
    expect((await activation).ok).toBe(false)
    await service.emulator.close()
  })

  test('an operation that throws releases the lock', async () => {
    const lock = createSharedLock()
    const { license, device } = await scene({ lock })
    device.device.identify = () => Promise.reject(new Error('broken'))
    await device.decide()
    expect(await device.core.activate(license.id)).toMatchObject({
      ok: false,
      problem: { code: 'unexpected' },
    })
    await (await take(lock, device))()
  })
})
