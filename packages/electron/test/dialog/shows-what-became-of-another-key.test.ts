import { describe, expect, test } from 'vitest'
import type { SessionView } from '../../src/dialog/session/session-view.ts'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { situationOf } from '../../src/dialog/situation/describe-situation.ts'
import { createTranslator } from '../../src/dialog/situation/translator.ts'
import { english } from '../../src/texts/load-strings.ts'
import { createTestDevice, dayMs, minuteMs, type TestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { type AdapterName, keyOfLicense, noNetwork, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

const translator = createTranslator(english, {}, 'Inkpad')

function buttonsOf(view: SessionView): readonly string[] {
  const { primary, other, footer } = situationOf(view, { translator, links: [] }, 0)
  return [primary, other, ...footer].flatMap((button) => (button === null ? [] : [button.action]))
}

/** What the screen and the app do by themselves within minutes. */
async function pass(device: TestDevice): Promise<void> {
  for (let i = 0; i < 12; i += 1) {
    await device.settled()
    await device.elapse(minuteMs)
    await device.settled()
  }
}

describe.each(['expired', 'suspended'] as const)('beside a license that is %s', (kind) => {
  /** A device with such a license, whose user enters the key of another one without a network. */
  async function enterOffline(seats: number) {
    const model = createServiceModel(() => device.clock.now())
    const world = { isOnline: true }
    const service = model.reachedBy((): Fate => ({ kind: world.isOnline ? 'served' : 'request-lost' }))
    const device = createTestDevice(null, { service })
    await device.launch()
    const [old, bought] = [model.addLicense(5), model.addLicense(seats)]
    if (seats === 1) model.addKey(bought, 'Other [aaaaaaaaaaaaaaaa]')
    await device.core.activate(old.id)
    if (kind === 'suspended') old.isSuspended = true
    else old.expiresAtMs = device.clock.now() - dayMs
    for (let days = 0; days < 4; days += 1) await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: kind, entitled: false })
    world.isOnline = false
    const { session } = await openScreenOn(device)
    session.enterKey()
    session.activate(bought.id)
    await pass(device)
    expect(decideSituation(session.view).kind).toBe('no-network')
    return { device, world, session, bought }
  }

  test('a key that was entered days ago and waits for its user is mentioned', async () => {
    const { device, world, session, bought } = await enterOffline(5)
    session.stop()
    await device.quit()
    await device.clock.advance(3 * dayMs)
    world.isOnline = true
    await device.launch()
    const screen = await openScreenOn(device)
    await pass(device)
    expect(decideSituation(screen.session.view)).toMatchObject({
      kind,
      notice: { code: 'activation-paused' },
    })
    expect(bought.keys).toHaveLength(0)
    screen.session.enterKey()
    screen.session.activate(bought.id)
    await pass(device)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('a key without a free seat is refused by that name once the network is back', async () => {
    const { device, world, session } = await enterOffline(1)
    world.isOnline = true
    await pass(device)
    expect(decideSituation(session.view).kind).toBe('no-seat-left')
  })
})

test('the old seat is given up only after a better key works', async () => {
  const model = createServiceModel(() => device.clock.now())
  const device = createTestDevice(null, { service: model.reachedBy((): Fate => ({ kind: 'served' })) })
  await device.launch()
  const [old, full, better] = [model.addLicense(5), model.addLicense(1), model.addLicense(5)]
  model.addKey(full, 'Other [aaaaaaaaaaaaaaaa]')
  await device.core.activate(old.id)
  const { session } = await openScreenOn(device)
  session.enterKey()
  session.activate(full.id)
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('no-seat-left')
  session.back()
  expect(decideSituation(session.view).kind).toBe('activated')
  expect([old.keys.length, device.state.entitled]).toEqual([1, true])
  session.enterKey()
  session.activate(better.id)
  await pass(device)
  expect(decideSituation(session.view).kind).toBe('activated')
  expect([old.keys.length, better.keys.length]).toEqual([0, 1])
})

describe.each(unlistedNames)(
  'with %s, beside a key whose answer was lost and that was refused later',
  (name) => {
    async function refuseAfterLoss(face: AdapterName) {
      const scene = await startFace(face)
      const { control } = scene.emulator
      const device = scene.device()
      await device.launch()
      const own = control.createLicense()
      const ownKey = keyOfLicense(scene, own.id)
      await device.core.activate(ownKey)
      control.faults.inject({ fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 })
      await device.core.activate(scene.licenseKey)
      control.suspend(scene.licenseId)
      await device.core.activate(scene.licenseKey)
      return { control, device, own, ownKey }
    }

    test('the screen offers to try it again and to give it up', async () => {
      const { device } = await refuseAfterLoss(name)
      await device.elapse(3 * dayMs)
      await device.launch()
      const { session } = await openScreenOn(device)
      expect(decideSituation(session.view)).toMatchObject({
        kind: 'activated',
        notice: { code: 'seat-may-be-taken' },
      })
      expect(buttonsOf(session.view)).toEqual(['continue', 'changeKey', 'askDeactivation'])
      session.changeKey()
      await expect.poll(() => device.recordOnDisk()).toMatchObject({ wanted: null })
      await device.launch()
      await device.elapse(2 * dayMs)
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    })
  },
)

describe.each(unlistedNames)('after a move to %s, a new key whose answer was lost', (name) => {
  /** A device whose app moved from another service, and whose user has entered the new key. */
  async function enterNewKey(lostBy: 'user' | 'app') {
    const before = await startFace(name === 'polar' ? 'lemon-squeezy' : 'polar')
    const old = before.device()
    await old.launch()
    await old.core.activate(before.licenseKey)
    await old.quit()
    const scene = await startFace(name)
    const { control } = scene.emulator
    const device = scene.device({ store: old.store, secrets: old.secrets })
    await device.launch()
    await device.elapse(3 * dayMs)
    const loss = { fault: 'reset', operation: 'activate', when: 'after-acting', times: 1 } as const
    if (lostBy === 'user') control.faults.inject(loss)
    else scene.answer = noNetwork
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    if (lostBy === 'app') {
      scene.answer = null
      control.faults.inject(loss)
      await device.core.validate()
    }
    expect(scene.seats()).toHaveLength(1)
    return { scene, device }
  }

  test.each(['user', 'app'] as const)(
    'by a request of the %s, is mentioned before another click, also after a restart',
    async (lostBy) => {
      const { scene, device } = await enterNewKey(lostBy)
      const mentioned = { kind: 'grace', notice: { code: 'seat-may-be-taken' } }
      expect(decideSituation((await openScreenOn(device)).session.view)).toMatchObject(mentioned)
      await device.launch()
      const { session } = await openScreenOn(device)
      expect(decideSituation(session.view)).toMatchObject(mentioned)
      expect(buttonsOf(session.view)).toEqual(['continue', 'retry', 'changeKey'])
      session.enterKey()
      expect(decideSituation(session.view)).toMatchObject({ ...mentioned, kind: 'enter-key' })
      expect(scene.seats()).toHaveLength(1)
      session.activate(scene.licenseKey, true)
      await device.settled()
      expect(device.state).toMatchObject({ status: 'active', problem: null })
    },
  )
})
