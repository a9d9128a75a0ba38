import { expect, test } from 'vitest'
import { decideSituation } from '../../src/dialog/situation/decide-situation.ts'
import { createTestDevice } from '../core/fixture.ts'
import { createServiceModel, type Fate } from '../core/service-model.ts'
import { reach } from '../doubles/app-service.ts'
import { adapterOf, startFace, unlistedNames } from '../services/faces.ts'
import { openScreenOn } from './stage/device-screen.ts'

test.each(unlistedNames)(
  '%s: after a restart, "Try now" finishes an activation whose answer was lost',
  async (name) => {
    const scene = await startFace(name)
    let isLost = true
    const { publicKey: _, ...settings } = scene.emulator.settings
    const commerce = reach({
      service: adapterOf[name]({ baseUrl: scene.emulator.baseUrl, settings }),
      fetch: async (request, init) => {
        const served = await fetch(request, init)
        if (isLost && request.url.endsWith('/activate')) throw new Error('net::ERR_CONNECTION_RESET')
        return served
      },
    })
    const device = scene.device({ service: commerce })
    await device.launch()
    await device.core.activate(scene.licenseKey)
    isLost = false
    await device.launch()
    const { session, calls } = await openScreenOn(device)
    expect(decideSituation(session.view)).toMatchObject({
      kind: 'no-seat-left',
      devices: { problem: { code: 'seat-may-be-taken' } },
    })

    session.retryByItself()
    await device.settled()
    expect(calls.at(-1)).toBe('validate')
    expect(scene.seats()).toHaveLength(1)

    session.retry()
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('activated')
  },
)

test.each([401, 403, 404])(
  'after a restart, "Try now" finishes it if a proxy answers every list with %i',
  async (status) => {
    const model = createServiceModel(() => device.clock.now())
    const license = model.addLicense(5)
    let isLost = true
    const service = model.reachedBy((operation): Fate => {
      if (operation === 'keys') return { kind: 'status', status, isJson: true }
      return operation === 'activate' && isLost ? { kind: 'answer-lost' } : { kind: 'served' }
    })
    const device = createTestDevice(null, { service })
    await device.launch()
    await device.core.activate(license.id)
    isLost = false
    await device.launch()
    const { session, calls } = await openScreenOn(device)
    expect(decideSituation(session.view)).toMatchObject({
      kind: 'no-network',
      problem: { code: 'activation-unconfirmed' },
    })

    session.retryByItself()
    await device.settled()
    expect(calls.at(-1)).toBe('validate')
    expect(license.keys).toHaveLength(1)

    session.retry()
    await device.settled()
    expect(decideSituation(session.view).kind).toBe('activated')
  },
)

test('after a restart, an activation is finished within seconds of the service’s return, without a click', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  let isDown = true
  const service = model.reachedBy(
    (): Fate => (isDown ? { kind: 'status', status: 503, isJson: true } : { kind: 'served' }),
  )
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(license.id)
  await device.launch()
  const { session } = await openScreenOn(device)
  await device.settled()
  expect(decideSituation(session.view).kind).toBe('no-network')
  isDown = false
  await device.clock.advance(10_000)
  await device.settled()
  expect(decideSituation(session.view).kind).toBe('activated')
  expect(license.keys).toHaveLength(1)
})

test('"Check again" for a license of this device never activates', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(5)
  const device = createTestDevice(null, { service: model.reachedBy(() => ({ kind: 'served' })) })
  await device.launch()
  await device.core.activate(license.id)
  const { session, calls } = await openScreenOn(device)
  session.retry()
  await device.settled()
  expect(calls).toEqual(['getState', 'validate'])
})

test('after a restart, "Release and activate here" activates what was cut off', async () => {
  const model = createServiceModel(() => device.clock.now())
  const license = model.addLicense(2)
  let isBlocked = true
  const service = model.reachedBy((operation): Fate => {
    if (!isBlocked) return { kind: 'served' }
    return operation === 'activate'
      ? { kind: 'request-lost' }
      : { kind: 'status', status: 403, isJson: false }
  })
  const device = createTestDevice(null, { service })
  await device.launch()
  await device.core.activate(license.id)
  await device.launch()
  const { session } = await openScreenOn(device)
  isBlocked = false
  const anna = model.addKey(license, 'Anna [aaaaaaaaaaaaaaaa]')
  model.addKey(license, 'Bob [bbbbbbbbbbbbbbbb]')
  session.retry()
  await device.settled()
  expect(decideSituation(session.view)).toMatchObject({ kind: 'no-seat-left', devices: { phase: 'ready' } })

  session.release(anna.id)
  await device.settled()
  await device.settled()
  expect(decideSituation(session.view).kind).toBe('activated')
  expect(license.keys).toHaveLength(2)
})

test('after a restart, "Check again" finds that a license was renewed whose activation was cut off', async () => {
  const scene = await startFace('lemon-squeezy')
  const { control } = scene.emulator
  const device = scene.device()
  await device.launch()
  control.faults.inject({ fault: 'reset', operation: 'activate', when: 'before-acting', times: 1 })
  await device.core.activate(scene.licenseKey)
  await device.launch()
  const { session } = await openScreenOn(device)
  control.updateLicense(scene.licenseId, { expires_at: '2020-01-01T00:00:00.000000Z' })
  session.retry()
  await device.settled()
  expect(decideSituation(session.view).kind).toBe('expired')

  control.updateLicense(scene.licenseId, { expires_at: null })
  session.retry()
  await device.settled()
  expect(decideSituation(session.view).kind).toBe('activated')
})
