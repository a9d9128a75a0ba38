import { describe, expect, test } from 'vitest'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { reach } from '../doubles/app-service.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import { adapterOf, keyOfLicense, noNetwork, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

// `worlds/clicks` tries the same with random clicks and faults.

const noList: Fate = { kind: 'status', status: 403, isJson: true }

/** What the screen and the app do by themselves within minutes. */
async function pass(device: TestDevice): Promise<void> {
  for (let i = 0; i < 12; i += 1) {
    await device.settled()
    await device.elapse(minuteMs)
    await device.settled()
  }
}

/** A launched device, a license of five seats, and what the service does with each request. */
async function startDevice() {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  const world = { fate: (_operation: string): Fate => ({ kind: 'served' }) }
  const device = createTestDevice(null, { service: model.reachedBy((operation) => world.fate(operation)) })
  await device.launch()
  return { model, license, world, device }
}

/** The same, where keys can't be listed and the answer to an activation was lost. */
async function loseAnswer() {
  const started = await startDevice()
  const { license, world, device } = started
  world.fate = (operation) =>
    operation === 'keys' ? noList : operation === 'activate' ? { kind: 'answer-lost' } : { kind: 'served' }
  const screen = await openScreenOn(device)
  screen.session.activate(license.id)
  await device.settled()
  expect(license.keys).toHaveLength(1)
  const withoutList = (operation: string): Fate => (operation === 'keys' ? noList : { kind: 'served' })
  return { ...started, ...screen, withoutList }
}

test.each([false, true])(
  'one click takes one seat where every answer is lost, also if a retry has no network: %s',
  async (isOnceOffline) => {
    const { license, world, device } = await startDevice()
    let asked = 0
    world.fate = (operation) => {
      if (operation === 'activate') return { kind: 'answer-lost' }
      if (operation !== 'keys') return { kind: 'served' }
      asked += 1
      return isOnceOffline && asked === 2 ? { kind: 'request-lost' } : noList
    }
    const { session } = await openScreenOn(device)
    session.activate(license.id)
    await pass(device)
    expect(asked).toBeGreaterThan(2)
    expect(license.keys).toHaveLength(1)
  },
)

test.each([
  ['no network', { kind: 'request-lost' }],
  ['a failing service', { kind: 'status', status: 503, isJson: false }],
  ['a portal', { kind: 'portal' }],
] as const)('after a lost answer, a click behind %s takes no second seat later', async (_, fate) => {
  const { license, world, device, session, withoutList } = await loseAnswer()
  world.fate = () => fate
  session.retry()
  await pass(device)
  world.fate = withoutList
  await pass(device)
  expect(license.keys).toHaveLength(1)
})

describe('after a lost answer and a restart', () => {
  test.each(['"Try now"', 'the same key'])('%s without a network takes no second seat later', async (how) => {
    const { license, world, device, session: first, withoutList } = await loseAnswer()
    first.stop()
    await device.launch()
    const { session } = await openScreenOn(device)
    world.fate = () => ({ kind: 'request-lost' })
    if (how === '"Try now"') session.retry()
    else session.activate(license.id)
    await pass(device)
    world.fate = withoutList
    await pass(device)
    expect(license.keys).toHaveLength(1)
    session.retry()
    await device.settled()
    session.retry()
    await pass(device)
    expect(decideSituation(session.view).kind).toBe('activated')
  })

  test('the window looks for the seat by itself, and only "Try now" asks for one', async () => {
    const { license, world, device, session: first, withoutList } = await loseAnswer()
    first.stop()
    world.fate = withoutList
    await device.launch()
    const { session, calls } = await openScreenOn(device)
    expect(decideSituation(session.view)).toMatchObject({ problem: { code: 'activation-unconfirmed' } })
    session.retryByItself()
    await device.settled()
    expect(calls.at(-1)).toBe('validate')
    expect(license.keys).toHaveLength(1)
    session.retry()
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('activated')
  })

  test('an activation is finished within seconds of the service’s return, without a click', async () => {
    const { license, world, device } = await startDevice()
    world.fate = () => ({ kind: 'status', status: 503, isJson: true })
    await device.core.activate(license.id)
    await device.launch()
    const { session } = await openScreenOn(device)
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('no-network')
    world.fate = () => ({ kind: 'served' })
    await device.clock.advance(10_000)
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('activated')
    expect(license.keys).toHaveLength(1)
  })

  test('"Release and activate here" activates what was cut off', async () => {
    const { model, world, device } = await startDevice()
    const license = model.addLicense(2)
    world.fate = (operation) =>
      operation === 'activate' ? { kind: 'request-lost' } : { kind: 'status', status: 403, isJson: false }
    await device.core.activate(license.id)
    await device.launch()
    const { session } = await openScreenOn(device)
    world.fate = () => ({ kind: 'served' })
    const anna = model.addKey(license, 'Anna [aaaaaaaaaaaaaaaa]')
    model.addKey(license, 'Bob [bbbbbbbbbbbbbbbb]')
    session.retry()
    await device.settled()
    expect(decideSituation(session.view)).toMatchObject({ kind: 'no-seat-left' })
    expect(session.view.devices?.devices).not.toBeNull()
    session.release(anna.id)
    await device.settled()
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('activated')
    expect(license.keys).toHaveLength(2)
  })
})

test('"Check again" for a license of this device never activates', async () => {
  const { license, device } = await startDevice()
  await device.core.activate(license.id)
  const { session, calls } = await openScreenOn(device)
  session.retry()
  await device.settled()
  expect(calls).toEqual(['getState', 'validate'])
})

test('the key of the license in use, entered again without a network, ends with that license', async () => {
  const { license, world, device } = await startDevice()
  await device.core.activate(license.id)
  world.fate = () => ({ kind: 'request-lost' })
  await device.elapse(3 * dayMs)
  expect(device.state.status).toBe('grace')
  const { session } = await openScreenOn(device)
  session.enterKey()
  session.activate(license.id)
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('no-network')
  world.fate = () => ({ kind: 'served' })
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('activated')
  expect(license.keys).toHaveLength(1)
})

test.each([401, 403])(
  'a released device that is refused with %i shows a mistake of the app, and gets a seat once it is deactivated',
  async (status) => {
    const { model, license, world, device } = await startDevice()
    await device.core.activate(license.id)
    model.removeKey(license, license.keys[0]?.id ?? '')
    world.fate = (operation) =>
      operation === 'keys' ? noList : operation === 'validate' ? { ...noList, status } : { kind: 'served' }
    await device.elapse(16 * dayMs)
    const { session } = await openScreenOn(device)
    session.reactivate()
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('misconfigured')
    expect(license.keys).toHaveLength(0)
    await device.core.deactivate()
    session.enterKey()
    session.activate(license.id)
    await device.settled()
    expect(device.state.status).toBe('active')
    expect(license.keys).toHaveLength(1)
  },
)

describe.each(unlistedNames)('with %s, which lists no devices', (name) => {
  test.each(['waiting in vain', '"Stop waiting"', '"Change key"'])(
    'a click whose answer is lost after %s is mentioned, and takes one seat',
    async (way) => {
      const scene = await startFace(name)
      let lose: (error: Error) => void = () => {}
      const lost = new Promise<never>((_, reject) => {
        lose = reject
      })
      const { publicKey: _, ...settings } = scene.emulator.settings
      const service = reach({
        service: adapterOf[name]({ baseUrl: scene.emulator.baseUrl, settings }),
        fetch: async (request, init) => {
          const served = await fetch(request, init)
          return request.url.endsWith('/activate') ? lost : served
        },
      })
      const device = scene.device({ service })
      await device.launch()
      const clock = createFakeClock()
      const { session, calls } = await openScreenOn(device, clock)
      session.activate(scene.licenseKey, true)
      await expect.poll(() => scene.seats()).toHaveLength(1)
      await clock.advance(minuteMs)
      expect(decideSituation(session.view)).toMatchObject({ problem: { code: 'timeout' } })
      if (way === '"Stop waiting"') session.stopWaiting()
      if (way === '"Change key"') session.changeKey()

      // The computer wakes up, for example.
      lose(new Error('net::ERR_NETWORK_IO_SUSPENDED'))
      for (let i = 0; i < 10; i += 1) {
        await device.settled()
        await clock.advance(minuteMs)
      }
      await clock.advance(0)
      const mentioned = { code: 'seat-may-be-taken' }
      expect(decideSituation(session.view)).toMatchObject(
        way === 'waiting in vain' ? { problem: mentioned } : { notice: mentioned },
      )
      expect(calls.filter((call) => call.startsWith('activate('))).toHaveLength(1)
      expect(scene.seats()).toHaveLength(1)
    },
  )

  test.each([true, false])(
    'a second click without a network takes no second seat later, on a released device: %s',
    async (isReleased) => {
      const scene = await startFace(name)
      const { control } = scene.emulator
      const device = scene.device()
      await device.launch()
      if (isReleased) {
        await device.core.activate(scene.licenseKey)
        control.removeKey(scene.licenseId, control.keys(scene.licenseId)[0]?.id ?? '')
        await device.elapse(3 * dayMs)
      } else await device.core.activate(keyOfLicense(scene, control.createLicense().id))
      const { session } = await openScreenOn(device)
      control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
      if (isReleased) session.reactivate()
      else session.activate(scene.licenseKey, true)
      await expect.poll(() => session.view.attempt?.isRunning).toBe(false)
      scene.answer = noNetwork
      session.retry()
      await expect.poll(() => session.view.attempt?.isRunning).toBe(false)
      expect(decideSituation(session.view)).toMatchObject({ problem: { code: 'seat-may-be-taken' } })
      scene.answer = null
      await pass(device)
      expect(scene.seats()).toHaveLength(1)
    },
  )

  test.each([true, false])(
    '"Check again" beside an older license finishes an activation only if it wasn’t canceled: %s',
    async (isCanceled) => {
      const scene = await startFace(name)
      const { control } = scene.emulator
      const device = scene.device()
      await device.launch()
      const older = control.createLicense()
      await device.core.activate(keyOfLicense(scene, older.id))
      control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
      control.suspend(older.id)
      for (let day = 0; day < 3; day += 1) await device.elapse(dayMs)
      await device.core.activate(scene.licenseKey)
      if (isCanceled) await device.core.cancelActivation()
      await device.launch()
      const { session, calls } = await openScreenOn(device)
      expect(decideSituation(session.view).notice?.code).toBe(isCanceled ? undefined : 'seat-may-be-taken')
      session.retryByItself()
      await pass(device)
      expect(calls).not.toContain('reactivate')
      session.retry()
      await pass(device)
      expect(device.state.entitled).toBe(!isCanceled)
    },
  )
})
