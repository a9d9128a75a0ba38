import { describe, expect, test } from 'vitest'
import type { SessionView } from '../../src/dialog/session/session-view.ts'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { situationOf } from '../../src/dialog/situation/describe-situation.ts'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import { english } from '../../src/texts/load-strings.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { reach } from '../doubles/app-service.ts'
import { createFakeClock } from '../doubles/fake-clock.ts'
import {
  activateDevice,
  adapterOf,
  keyOfLicense,
  lostActivation,
  noNetwork,
  startDevice as startAdapter,
  startFace,
  unlistedNames,
} from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

// `worlds/clicks` tries the same with random clicks and faults.

const served: Fate = { kind: 'served' }
const lost: Fate = { kind: 'request-lost' }
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
  const world = { fate: (_operation: string): Fate => served }
  const device = createTestDevice(null, { service: model.reachedBy((operation) => world.fate(operation)) })
  await device.launch()
  return { model, license, world, device }
}

const withoutList = (operation: string): Fate => (operation === 'keys' ? noList : served)

/** The same, where keys can't be listed and the answer to an activation was lost. */
async function loseAnswer() {
  const started = await startDevice()
  const { license, world, device } = started
  world.fate = (operation) => (operation === 'activate' ? { kind: 'answer-lost' } : withoutList(operation))
  const screen = await openScreenOn(device)
  screen.session.activate(license.id)
  await device.settled()
  expect(license.keys).toHaveLength(1)
  return { ...started, ...screen }
}

const look = ({ session }: { readonly session: { readonly view: SessionView } }) =>
  decideSituation(session.view)

const translator = createTranslator(english, {}, 'Inkpad')
function buttonsOf(view: SessionView): readonly string[] {
  const { primary, other, footer } = situationOf(view, { translator, links: [] }, 0)
  return [primary, other, ...footer].flatMap((button) => (button === null ? [] : [button.action]))
}

test.each([false, true])(
  'one click takes one seat where every answer is lost, also if a retry has no network: %s',
  async (isOnceOffline) => {
    const { license, world, device } = await startDevice()
    let asked = 0
    world.fate = (operation) => {
      if (operation === 'activate') return { kind: 'answer-lost' }
      if (operation !== 'keys') return served
      asked += 1
      return isOnceOffline && asked === 2 ? lost : noList
    }
    const { session } = await openScreenOn(device)
    session.activate(license.id)
    await pass(device)
    expect(asked).toBeGreaterThan(2)
    expect(license.keys).toHaveLength(1)
  },
)

test.each([
  ['no network', lost],
  ['a failing service', { kind: 'status', status: 503, isJson: false }],
  ['a portal', { kind: 'portal' }],
] as const)('after a lost answer, a click behind %s takes no second seat later', async (_, fate) => {
  const { license, world, device, session } = await loseAnswer()
  world.fate = () => fate
  session.retry()
  await pass(device)
  world.fate = withoutList
  await pass(device)
  expect(license.keys).toHaveLength(1)
})

describe('after a lost answer and a restart', () => {
  test.each(['"Try now"', 'the same key'])('%s without a network takes no second seat later', async (how) => {
    const { license, world, device, session: first } = await loseAnswer()
    first.stop()
    await device.launch()
    const screen = await openScreenOn(device)
    const { session } = screen
    world.fate = () => lost
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
    expect(look(screen).kind).toBe('activated')
  })

  test('the window looks for the seat by itself, and only "Try now" asks for one', async () => {
    const { license, world, device, session: first } = await loseAnswer()
    first.stop()
    world.fate = withoutList
    await device.launch()
    const screen = await openScreenOn(device)
    const { session, calls } = screen
    expect(look(screen)).toMatchObject({ problem: { code: 'activation-unconfirmed' } })
    session.retryByItself()
    await device.settled()
    expect(calls.at(-1)).toBe('validate')
    expect(license.keys).toHaveLength(1)
    session.retry()
    await device.settled()
    expect(look(screen).kind).toBe('activated')
  })

  test('an activation is finished within seconds of the service’s return, without a click', async () => {
    const { license, world, device } = await startDevice()
    world.fate = () => ({ kind: 'status', status: 503, isJson: true })
    await device.core.activate(license.id)
    await device.launch()
    const screen = await openScreenOn(device)
    await device.settled()
    expect(look(screen).kind).toBe('no-network')
    world.fate = () => served
    await device.clock.advance(10_000)
    await device.settled()
    expect(look(screen).kind).toBe('activated')
    expect(license.keys).toHaveLength(1)
  })

  test('"Release and activate here" activates what was cut off', async () => {
    const { model, world, device } = await startDevice()
    const license = model.addLicense(2)
    world.fate = (operation) =>
      operation === 'activate' ? lost : { kind: 'status', status: 403, isJson: false }
    await device.core.activate(license.id)
    await device.launch()
    const screen = await openScreenOn(device)
    const { session } = screen
    world.fate = () => served
    const anna = model.addKey(license, 'Anna [aaaaaaaaaaaaaaaa]')
    model.addKey(license, 'Bob [bbbbbbbbbbbbbbbb]')
    session.retry()
    await device.settled()
    expect(look(screen)).toMatchObject({ kind: 'no-seat-left' })
    expect(session.view.devices?.devices).not.toBeNull()
    session.release(anna.id)
    await device.settled()
    await device.settled()
    expect(look(screen).kind).toBe('activated')
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
  world.fate = () => lost
  await device.elapse(3 * dayMs)
  expect(device.state.status).toBe('grace')
  const screen = await openScreenOn(device)
  screen.session.enterKey()
  screen.session.activate(license.id)
  await pass(device)
  expect(look(screen).kind).toBe('no-network')
  world.fate = () => served
  await pass(device)
  expect(look(screen).kind).toBe('activated')
  expect(license.keys).toHaveLength(1)
})

test.each([401, 403])(
  'a released device that is refused with %i shows a mistake of the app, and gets a seat once it is deactivated',
  async (status) => {
    const { model, license, world, device } = await startDevice()
    await device.core.activate(license.id)
    model.removeKey(license, license.keys[0]?.id ?? '')
    world.fate = (operation) => (operation === 'validate' ? { ...noList, status } : withoutList(operation))
    await device.elapse(16 * dayMs)
    const screen = await openScreenOn(device)
    const { session } = screen
    session.reactivate()
    await device.settled()
    expect(look(screen).kind).toBe('misconfigured')
    expect(license.keys).toHaveLength(0)
    await device.core.deactivate()
    session.enterKey()
    session.activate(license.id)
    await device.settled()
    expect(device.state.status).toBe('active')
    expect(license.keys).toHaveLength(1)
  },
)

describe.each(['expired', 'suspended'] as const)('beside a license that is %s', (kind) => {
  /** A device with such a license, whose user enters the key of another one without a network. */
  async function enterOffline(seats: number) {
    const { model, license: old, world, device } = await startDevice()
    const bought = model.addLicense(seats)
    if (seats === 1) model.addKey(bought, 'Other [aaaaaaaaaaaaaaaa]')
    await device.core.activate(old.id)
    if (kind === 'suspended') old.isSuspended = true
    else old.expiresAtMs = device.clock.now() - dayMs
    for (let days = 0; days < 4; days += 1) await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: kind, entitled: false })
    world.fate = () => lost
    const screen = await openScreenOn(device)
    screen.session.enterKey()
    screen.session.activate(bought.id)
    await pass(device)
    expect(look(screen).kind).toBe('no-network')
    return { device, world, screen, bought }
  }

  test('a key that was entered days ago and waits for its user is mentioned', async () => {
    const { device, world, screen: first, bought } = await enterOffline(5)
    first.session.stop()
    await device.quit()
    await device.clock.advance(3 * dayMs)
    world.fate = () => served
    await device.launch()
    const screen = await openScreenOn(device)
    await pass(device)
    expect(look(screen)).toMatchObject({ kind, notice: { code: 'activation-paused' } })
    expect(bought.keys).toHaveLength(0)
    screen.session.enterKey()
    screen.session.activate(bought.id)
    await pass(device)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('a key without a free seat is refused by that name once the network is back', async () => {
    const { device, world, screen } = await enterOffline(1)
    world.fate = () => served
    await pass(device)
    expect(look(screen).kind).toBe('no-seat-left')
  })
})

test('the old seat is given up only after a better key works', async () => {
  const { model, license: old, device } = await startDevice()
  const [full, better] = [model.addLicense(1), model.addLicense(5)]
  model.addKey(full, 'Other [aaaaaaaaaaaaaaaa]')
  await device.core.activate(old.id)
  const screen = await openScreenOn(device)
  const { session } = screen
  session.enterKey()
  session.activate(full.id)
  await pass(device)
  expect(look(screen).kind).toBe('no-seat-left')
  session.back()
  expect(look(screen).kind).toBe('activated')
  expect([old.keys.length, device.state.entitled]).toEqual([1, true])
  session.enterKey()
  session.activate(better.id)
  await pass(device)
  expect(look(screen).kind).toBe('activated')
  expect([old.keys.length, better.keys.length]).toEqual([0, 1])
})

describe.each(unlistedNames)('with %s, which lists no devices', (name) => {
  const mentioned = { code: 'seat-may-be-taken' }

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
      const screen = await openScreenOn(device, clock)
      const { session, calls } = screen
      session.activate(scene.licenseKey, true)
      await expect.poll(() => scene.seats()).toHaveLength(1)
      await clock.advance(minuteMs)
      expect(look(screen)).toMatchObject({ problem: { code: 'timeout' } })
      if (way === '"Stop waiting"') session.stopWaiting()
      if (way === '"Change key"') session.changeKey()

      // The computer wakes up, for example.
      lose(new Error('net::ERR_NETWORK_IO_SUSPENDED'))
      for (let i = 0; i < 10; i += 1) {
        await device.settled()
        await clock.advance(minuteMs)
      }
      await clock.advance(0)
      expect(look(screen)).toMatchObject(
        way === 'waiting in vain' ? { problem: mentioned } : { notice: mentioned },
      )
      expect(calls.filter((call) => call.startsWith('activate('))).toHaveLength(1)
      expect(scene.seats()).toHaveLength(1)
    },
  )

  test.each([true, false])(
    'a second click without a network takes no second seat later, on a released device: %s',
    async (isReleased) => {
      const { scene, device, control } = await startAdapter(name)
      if (isReleased) {
        await device.core.activate(scene.licenseKey)
        control.removeKey(scene.licenseId, control.keys(scene.licenseId)[0]?.id ?? '')
        await device.elapse(3 * dayMs)
      } else await device.core.activate(keyOfLicense(scene, control.createLicense().id))
      const screen = await openScreenOn(device)
      const { session } = screen
      control.faults.inject(lostActivation)
      if (isReleased) session.reactivate()
      else session.activate(scene.licenseKey, true)
      await expect.poll(() => session.view.attempt?.isRunning).toBe(false)
      scene.answer = noNetwork
      session.retry()
      await expect.poll(() => session.view.attempt?.isRunning).toBe(false)
      expect(look(screen)).toMatchObject({ problem: mentioned })
      scene.answer = null
      await pass(device)
      expect(scene.seats()).toHaveLength(1)
    },
  )

  test.each([true, false])(
    '"Check again" beside an older license finishes an activation only if it wasn’t canceled: %s',
    async (isCanceled) => {
      const { scene, device, control } = await startAdapter(name)
      const older = control.createLicense()
      await device.core.activate(keyOfLicense(scene, older.id))
      control.faults.inject(lostActivation)
      control.suspend(older.id)
      for (let day = 0; day < 3; day += 1) await device.elapse(dayMs)
      await device.core.activate(scene.licenseKey)
      if (isCanceled) await device.core.cancelActivation()
      await device.launch()
      const screen = await openScreenOn(device)
      const { session, calls } = screen
      expect(look(screen).notice?.code).toBe(isCanceled ? undefined : mentioned.code)
      session.retryByItself()
      await pass(device)
      expect(calls).not.toContain('reactivate')
      session.retry()
      await pass(device)
      expect(device.state.entitled).toBe(!isCanceled)
    },
  )

  test('a key whose answer was lost and that was refused later can be tried again and given up', async () => {
    const { scene, device, control } = await startAdapter(name)
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    control.faults.inject(lostActivation)
    await device.core.activate(scene.licenseKey)
    control.suspend(scene.licenseId)
    await device.core.activate(scene.licenseKey)
    await device.elapse(3 * dayMs)
    await device.launch()
    const screen = await openScreenOn(device)
    const { session } = screen
    expect(look(screen)).toMatchObject({ kind: 'activated', notice: mentioned })
    expect(buttonsOf(session.view)).toEqual(['continue', 'changeKey', 'askDeactivation'])
    session.changeKey()
    await expect.poll(() => device.recordOnDisk()).toMatchObject({ wanted: null })
    await device.launch()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test.each(['user', 'app'] as const)(
    'a new key after a move, whose answer was lost by a request of the %s, is mentioned before another click',
    async (lostBy) => {
      const { device: old } = await activateDevice(name === 'polar' ? 'lemon-squeezy' : 'polar')
      await old.quit()
      const { scene, device, control } = await startAdapter(name, { store: old.store, secrets: old.secrets })
      await device.elapse(3 * dayMs)
      if (lostBy === 'user') control.faults.inject(lostActivation)
      else scene.answer = noNetwork
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
      if (lostBy === 'app') {
        scene.answer = null
        control.faults.inject(lostActivation)
        await device.core.validate()
      }
      expect(scene.seats()).toHaveLength(1)
      expect(look(await openScreenOn(device))).toMatchObject({ kind: 'grace', notice: mentioned })
      await device.launch()
      const screen = await openScreenOn(device)
      const { session } = screen
      expect(look(screen)).toMatchObject({ kind: 'grace', notice: mentioned })
      expect(buttonsOf(session.view)).toEqual(['continue', 'retry', 'changeKey'])
      session.enterKey()
      expect(look(screen)).toMatchObject({ kind: 'enter-key', notice: mentioned })
      expect(scene.seats()).toHaveLength(1)
      session.activate(scene.licenseKey, true)
      await device.settled()
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    },
  )
})
