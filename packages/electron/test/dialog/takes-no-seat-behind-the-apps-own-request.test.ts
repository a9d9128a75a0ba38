import { expect, test } from 'vitest'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import type { TestDevice } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import { type AdapterName, adapterOf, keyOfLicense, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

const ways = ['Try now', 'the key again after a restart'] as const
const cases = unlistedNames.flatMap((name) => ways.map((way) => [name, way] as const))

const uncertain = {
  kind: 'no-seat-left',
  isChecking: false,
  devices: { problem: { code: 'seat-may-be-taken' } },
}

// The first click had no network. Later the app itself sends the pending activation, and its answer gets lost while a second
// click waits behind it.
type Situation = Awaited<ReturnType<typeof startFace>>

/** A device whose user entered a key without a network, which is back now. */
async function startOffline(
  name: AdapterName,
  before: (scene: Situation, device: TestDevice) => Promise<void>,
) {
  const scene = await startFace(name)
  const { baseUrl, settings: all } = scene.emulator
  const { publicKey: _, ...settings } = all
  const world = { isOnline: true, isFirst: false, lose: (_error: Error): void => {}, isHeld: false }
  const lost = new Promise<never>((_, reject) => {
    world.lose = reject
  })
  lost.catch(() => {})
  const never = new Promise<never>(() => {})
  const commerce = reach({
    service: adapterOf[name]({ baseUrl, settings }),
    fetch: async (request, init) => {
      if (!world.isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
      const isActivation = request.url.endsWith('/activate')
      if (world.isHeld && !world.isFirst && !isActivation) return never
      const served = await fetch(request, init)
      if (!isActivation || !world.isFirst) return served
      world.isFirst = false
      return lost
    },
  })
  const device = scene.device({ service: commerce })
  await device.launch()
  await before(scene, device)
  world.isOnline = false
  world.isFirst = true
  const screen = await openScreenOn(device)
  screen.session.enterKey()
  screen.session.activate(scene.licenseKey, true)
  await expect.poll(() => decideSituation(screen.session.view).kind).toBe('no-network')
  world.isOnline = true
  return { scene, world, device, session: screen.session }
}

test.each(cases)('with %s, "%s" during that request takes no second seat', async (name, way) => {
  const { scene, world, device, session: first } = await startOffline(name, async () => {})
  let session = first
  if (way === 'Try now') void device.core.validate()
  else {
    session.stop()
    void device.decide()
    await expect.poll(() => device.state.activity).not.toBe('idle')
    ;({ session } = await openScreenOn(device))
  }
  await expect.poll(() => scene.seats().length).toBe(1)

  if (way === 'Try now') session.retry()
  else {
    session.enterKey()
    session.activate(scene.licenseKey, true)
  }
  world.lose(new Error('net::ERR_NETWORK_CHANGED'))
  await expect.poll(() => decideSituation(session.view)).toMatchObject(uncertain)
  expect(scene.seats()).toHaveLength(1)
  // The next click knows of it, and is allowed to.
  session.retry()
  await expect.poll(() => device.state).toMatchObject({ status: 'active' })
})

test.each(unlistedNames)(
  'with %s, the screen says so without a click once that answer is lost',
  async (name) => {
    const { scene, world, device, session } = await startOffline(name, async () => {})
    void device.core.validate()
    await expect.poll(() => scene.seats().length).toBe(1)
    world.lose(new Error('net::ERR_NETWORK_CHANGED'))
    await expect.poll(() => decideSituation(session.view)).toMatchObject(uncertain)
  },
)

test.each(unlistedNames)('with %s, also while the license in use is being validated', async (name) => {
  const { scene, world, device, session } = await startOffline(name, async (own, started) => {
    const { id } = own.emulator.control.createLicense()
    expect(await started.core.activate(keyOfLicense(own, id))).toMatchObject({ ok: true })
  })
  void device.core.validate()
  await expect.poll(() => scene.seats().length).toBe(1)
  world.isHeld = true
  world.lose(new Error('net::ERR_NETWORK_CHANGED'))
  await expect.poll(() => decideSituation(session.view)).toMatchObject({ devices: uncertain.devices })
  // Otherwise it would be that validation's timeout that shows it.
  expect(device.state.activity).toBe('validating')
})
