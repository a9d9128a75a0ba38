import { expect, test } from 'vitest'
import { situationOf } from '../../src/dialog/scene/situation.ts'
import { createServicePort } from '../../src/main/adapters/service/create-service-port.ts'
import { adapterOf, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

const ways = ['Try now', 'the key again after a restart'] as const
const cases = unlistedNames.flatMap((name) => ways.map((way) => [name, way] as const))

// The first click had no network. Later the app itself sends the pending activation, and its answer gets lost while a second
// click waits behind it.
test.each(cases)('with %s, "%s" during that request takes no second seat', async (name, way) => {
  const scene = await startFace(name)
  const { baseUrl, settings: all } = scene.emulator
  const { publicKey: _, ...settings } = all
  const world = { isOnline: false, isFirst: true, lose: (_error: Error): void => {} }
  const lost = new Promise<never>((_, reject) => {
    world.lose = reject
  })
  lost.catch(() => {})
  const commerce = createServicePort({
    service: adapterOf[name]({ baseUrl, settings }),
    fetch: async (request, init) => {
      if (!world.isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
      const served = await fetch(request, init)
      if (!request.url.endsWith('/activate') || !world.isFirst) return served
      world.isFirst = false
      return lost
    },
  })
  const device = scene.device({ commerce })
  await device.launch()
  let { session } = await openScreenOn(device)
  session.activate(scene.licenseKey, true)
  await expect.poll(() => situationOf(session.view).kind).toBe('no-network')
  world.isOnline = true
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
  await expect
    .poll(() => situationOf(session.view))
    .toMatchObject({
      kind: 'no-seat-left',
      isChecking: false,
      devices: { problem: { code: 'seat-may-be-taken' } },
    })
  expect(scene.seats()).toHaveLength(1)
  // The next click knows of it, and is allowed to.
  session.retry()
  await expect.poll(() => device.state).toMatchObject({ status: 'active' })
})
