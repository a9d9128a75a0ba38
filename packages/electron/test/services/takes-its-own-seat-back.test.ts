import type { FaultRule } from '@latchkey/emulator'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  createTestDevice,
  dayMs,
  hourMs,
  minuteMs,
  startTestService,
  type TestDevice,
} from '../core/fixture.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import {
  type AdapterName,
  activateDevice,
  adapterNames,
  type FaceScene,
  keyOfLicense,
  startDevice,
  startFace,
  unknownHost,
  unlistedNames,
} from './faces.ts'

const settled = { wanted: null, owed: [] }
const isActive = { status: 'active', problem: null }

/** A device that was deactivated while the service failed, of a license with one seat. */
async function leaving(name: AdapterName, fault: FaultRule | 'offline') {
  const started = await activateDevice(name)
  const { scene, device, control } = started
  control.updateLicense(scene.licenseId, { activation_limit: 1 })
  if (fault === 'offline') scene.answer = unknownHost
  else control.faults.inject(fault)
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  scene.answer = null
  return started
}

const failing: FaultRule = { fault: 'status', status: 503, operation: ['activate', 'deactivate'] }
/** The service frees the seat, and its answer is lost. */
const freed: FaultRule = { fault: 'reset', when: 'after-acting' }

const seatsOf = ({ emulator, licenseId }: FaceScene): readonly string[] =>
  emulator.control.keys(licenseId).map(({ id }) => id)

beforeEach(skipWaitsBeforeRetries)

describe.each(adapterNames)('the only seat of a license at %s', (name) => {
  test('is used again at once after a deactivation without a network', async () => {
    const { scene, device } = await leaving(name, 'offline')
    const seats = seatsOf(scene)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject(isActive)
    expect(seatsOf(scene)).toEqual(seats)
    expect(await device.recordOnDisk()).toMatchObject(settled)
  })

  test('is free for this device at once after a deactivation that was cut off', async () => {
    const { scene, device, control } = await leaving(name, { fault: 'reset' })
    const seats = seatsOf(scene)
    control.faults.clear()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    // Where nothing is listed, it isn't used again while the request that was cut off may still free it.
    if (unlistedNames.includes(name)) expect(seatsOf(scene)).not.toEqual(seats)
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject(isActive)
    expect(scene.seats()).toHaveLength(1)
  })

  test('is used again when the user returns to it from another license', async () => {
    const { scene, device, control } = await activateDevice(name)
    control.updateLicense(scene.licenseId, { activation_limit: 1 })
    const other = control.createLicense({ activation_limit: 1 })
    control.faults.inject({ fault: 'reset', operation: 'deactivate' })
    for (let press = 0; press < 2; press += 1) {
      expect(await device.core.activate(keyOfLicense(scene, other.id))).toMatchObject({ ok: true })
    }
    const { owed } = await device.recordOnDisk()
    expect(owed.filter(({ activationId }) => activationId !== null)).toMatchObject([
      { licenseKey: scene.licenseKey },
    ])
    control.faults.clear()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(dayMs)
    expect([scene.seats().length, control.keys(other.id).length]).toEqual([1, 0])
  })
})

describe.each(unlistedNames)('if %s lists no devices', (name) => {
  test.each([2, 30])(
    'one more press gets the only seat back, %i minutes after the service failed',
    async (minutes) => {
      const { scene, device, control } = await leaving(name, failing)
      const result = await device.core.activate(scene.licenseKey)
      expect(result).toMatchObject({ ok: false, problem: { code: 'seat-may-be-taken' } })
      scene.answer = () => Response.json({}, { status: 503 })
      await device.elapse(minutes * minuteMs)
      scene.answer = null
      control.faults.clear()
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
      await device.elapse(2 * dayMs)
      expect(device.state).toMatchObject(isActive)
      expect(scene.seats()).toHaveLength(1)
      expect(await device.recordOnDisk()).toMatchObject(settled)
    },
  )

  test('an activation that waits takes the seat back by itself, once no earlier request can free it', async () => {
    const { scene, device, control } = await leaving(name, failing)
    const seats = seatsOf(scene)
    await device.core.activate(scene.licenseKey)
    device.kill()
    device.sleep(hourMs)
    control.faults.clear()
    expect(await device.launch()).toMatchObject(isActive)
    expect(seatsOf(scene)).toEqual(seats)
  })

  test('another license is activated although that seat can’t be freed yet', async () => {
    const fault: FaultRule = { fault: 'status', status: 503, operation: 'deactivate' }
    const { scene, device, control } = await leaving(name, fault)
    const other = control.createLicense()
    expect(await device.core.activate(keyOfLicense(scene, other.id))).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)
    control.faults.clear()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject(isActive)
    expect([scene.seats().length, control.keys(other.id).length]).toEqual([0, 1])
  })

  test('a new seat is taken if the queued one is gone', async () => {
    const { scene, device, control } = await leaving(name, freed)
    expect(scene.seats()).toEqual([])
    control.faults.clear()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject(isActive)
    expect(scene.seats()).toHaveLength(1)
  })

  test('a license that has ended since isn’t put on record by a seat that may be gone', async () => {
    const { scene, device, control } = await leaving(name, freed)
    control.faults.clear()
    control.expire(scene.licenseId)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    expect(device.state.status).toBe('unlicensed')
    expect((await device.recordOnDisk()).activation).toBeNull()
  })

  test.each([
    [404, { message: 'no Route matched with those values' }],
    [404, { error: 'Not Found', status: 404, path: '/' }],
    [404, { errors: [{ status: '404', title: 'Not Found' }] }],
    [400, { code: 400, message: 'Bad Request' }],
    [404, {}],
  ])(
    'one answer of a proxy takes no second seat after the license key was replaced (%i %j)',
    async (status, body) => {
      const { scene, device } = await activateDevice(name)
      const replacement = `${scene.licenseKey.slice(0, -4)}0000`
      scene.rewrite = { from: replacement, to: scene.licenseKey }
      let answers = 1
      scene.answer = () => (answers-- > 0 ? Response.json(body, { status }) : null)
      await device.core.activate(replacement)
      expect(answers).toBeLessThan(1)
      expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
      await device.elapse(2 * dayMs)
      expect(device.state).toMatchObject(isActive)
      expect(scene.seats()).toHaveLength(1)
    },
  )
})

const replacement = 'INKWELL-11111111-2222-4333-8444-555555555555'

describe('a license key that the customer replaced at Polar after this device was deactivated offline', () => {
  async function replaced() {
    const started = await leaving('polar', 'offline')
    started.scene.rewrite = { from: replacement, to: started.scene.licenseKey }
    return started
  }

  test.each([0, 2])('uses the seat again that it had, %i hours later', async (hours) => {
    const { scene, device } = await replaced()
    const seats = seatsOf(scene)
    await device.elapse(hours * hourMs)
    expect(device.state.problem?.code).toBe('deactivation-pending')
    expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(seatsOf(scene)).toEqual(seats)
    expect(await device.recordOnDisk()).toMatchObject({ activation: { licenseKey: replacement }, owed: [] })
    expect(await device.core.deactivate()).toMatchObject({ seat: 'freed' })
    expect(scene.seats()).toEqual([])
  })

  test('isn’t asked about anymore after Polar hasn’t known the old one for a day', async () => {
    const { scene, device } = await replaced()
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'unlicensed', problem: null })
    expect((await device.recordOnDisk()).owed).toEqual([])
    const before = scene.asked()
    await device.elapse(10 * dayMs)
    expect(scene.asked()).toBe(before)
  })
})

/** Activates with a license and deactivates it offline. */
async function leaveOffline(scene: FaceScene, device: TestDevice, licenseId: string): Promise<void> {
  await device.core.activate(keyOfLicense(scene, licenseId))
  scene.answer = unknownHost
  await device.core.deactivate()
  scene.answer = null
}

/** Activates, and expects that it is among the first three requests, all that Polar allows in a second. */
async function expectActivatedInTime(
  { emulator }: FaceScene,
  device: TestDevice,
  licenseKey: string,
): Promise<void> {
  const before = emulator.control.requests().length
  expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true })
  const asked = emulator.control.requests().slice(before)
  expect(asked.findIndex(({ operation }) => operation === 'activate')).toBeLessThan(3)
}

describe('at Polar, which allows three requests a second,', () => {
  test('seats of licenses that it doesn’t know anymore leave room for an activation', async () => {
    const { scene, device, control } = await startDevice('polar')
    for (const { id } of [control.createLicense({}), control.createLicense({})]) {
      await leaveOffline(scene, device, id)
      control.deleteLicense(id)
    }
    await device.elapse(2 * hourMs)
    expect((await device.recordOnDisk()).owed).toHaveLength(2)
    await expectActivatedInTime(scene, device, scene.licenseKey)
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject(isActive)
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  })

  test('returning to a license whose seat is gone leaves room for an activation', async () => {
    const { scene, device, control } = await leaving('polar', freed)
    control.faults.clear()
    await device.core.activate(keyOfLicense(scene, control.createLicense().id))
    await device.elapse(hourMs)
    await expectActivatedInTime(scene, device, scene.licenseKey)
  })

  test.each([
    [0, 'unconfirmed'],
    [25, 'moved-to-another-device'],
  ])(
    'a replaced license key finds the seat in use, though an earlier license is forgotten too, %i hours later',
    async (hours, code) => {
      const { scene, device, control } = await leaving('polar', 'offline')
      control.deleteLicense(scene.licenseId)
      const { id } = control.createLicense({ activation_limit: 1 })
      const licenseKey = keyOfLicense(scene, id)
      await device.core.activate(licenseKey)
      const seats = control.keys(id)
      scene.rewrite = { from: replacement, to: licenseKey }
      await device.core.validate()
      device.sleep(hours * hourMs)
      await device.core.validate()
      expect(device.state.problem?.code).toBe(code)
      expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
      expect(control.keys(id)).toEqual(seats)
    },
  )

  describe.each(['deleted', 'released elsewhere'])('if the license before the one in use was %s', (how) => {
    /** The seat of the earlier license is queued, and Polar has said once that it doesn't know it. */
    async function beside(limit: number) {
      const started = await leaving('polar', 'offline')
      const { scene, device, control } = started
      if (how === 'deleted') control.deleteLicense(scene.licenseId)
      else for (const { id } of control.keys(scene.licenseId)) control.removeKey(scene.licenseId, id)
      const { id } = control.createLicense({ activation_limit: limit })
      const licenseKey = keyOfLicense(scene, id)
      await device.core.activate(licenseKey)
      await device.elapse(2 * hourMs)
      expect((await device.recordOnDisk()).owed).toHaveLength(1)
      return { ...started, id, licenseKey }
    }

    test.each([1, 3])('a replaced license key keeps the seat in use, of %i', async (limit) => {
      const { scene, device, control, id, licenseKey } = await beside(limit)
      const seats = control.keys(id)
      scene.rewrite = { from: replacement, to: licenseKey }
      expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
      await device.elapse(3 * dayMs)
      expect(device.state).toMatchObject(isActive)
      expect(control.keys(id)).toEqual(seats)
    })

    test('a third license is activated at once', async () => {
      const { scene, device, control, id } = await beside(1)
      let times: readonly number[] = []
      scene.answer = () => {
        const nowMs = device.clock.now()
        times = [...times.filter((atMs) => nowMs - atMs < 1000), nowMs]
        const headers = { 'retry-after': '60' }
        return times.length > 3 ? Response.json({ error: 'TooManyRequests' }, { status: 429, headers }) : null
      }
      const third = control.createLicense({ activation_limit: 1 })
      expect(await device.core.activate(keyOfLicense(scene, third.id))).toMatchObject({ ok: true })
      scene.answer = null
      await device.elapse(2 * dayMs)
      expect([control.keys(third.id).length, control.keys(id).length]).toEqual([1, 0])
    })
  })

  describe('while it knows neither of two seats that are to be freed,', () => {
    /** The license of the first one was deleted, and the other one is only hidden. */
    async function startWithTwo(hours: number) {
      const started = await startDevice('polar')
      const { scene, device, control } = started
      const [deleted, hidden] = [control.createLicense({}).id, control.createLicense({}).id]
      await leaveOffline(scene, device, deleted)
      control.deleteLicense(deleted)
      await leaveOffline(scene, device, hidden)
      scene.answer = () => Response.json({ error: 'ResourceNotFound', detail: 'Not found' }, { status: 404 })
      await device.elapse(hours * hourMs)
      scene.answer = null
      return { ...started, deletedKey: keyOfLicense(scene, deleted), hidden }
    }

    test('each is asked about in turn, and freed if it is known again within a day', async () => {
      const { device, control, hidden } = await startWithTwo(20)
      await device.elapse(4 * dayMs)
      expect(control.keys(hidden)).toEqual([])
      expect((await device.recordOnDisk()).owed).toEqual([])
    })

    test('one that it refuses to free for another reason doesn’t keep the next one from its turn', async () => {
      const { scene, device, control, deletedKey, hidden } = await startWithTwo(30)
      expect((await device.recordOnDisk()).owed).toHaveLength(2)
      const ended = { error: 'NotPermitted', detail: 'License key has expired.' }
      scene.answer = async (request) => {
        const isRefused =
          request.url.endsWith('/deactivate') && (await request.clone().text()).includes(deletedKey)
        return isRefused ? Response.json(ended, { status: 403 }) : null
      }
      await device.elapse(4 * dayMs)
      expect(control.keys(hidden)).toEqual([])
      expect(await device.recordOnDisk()).toMatchObject({ owed: [{ licenseKey: deletedKey }] })
    })
  })
})

describe('a seat of a license that the service doesn’t know', () => {
  const pending = { status: 'unlicensed', problem: { code: 'deactivation-pending' } }
  const quiet = { status: 'unlicensed', problem: null }

  /** A device that was deactivated while Keygen answered like this. */
  async function deactivated(answer: FaceScene['answer']) {
    const started = await activateDevice('keygen', { isSigned: false })
    started.scene.answer = answer
    expect(await started.device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(started.device.state).toMatchObject(pending)
    return started
  }

  test('isn’t shown after a day, and is freed once the vendor restores the license', async () => {
    const invalid = { errors: [{ title: 'Unauthorized', detail: 'is invalid', code: 'LICENSE_INVALID' }] }
    const { scene, device } = await deactivated(() => Response.json(invalid, { status: 401 }))
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject(quiet)
    await device.launch()
    expect(device.state).toMatchObject(quiet)
    scene.answer = null
    expect(scene.seats()).toHaveLength(1)
    await device.elapse(2 * dayMs)
    expect(scene.seats()).toHaveLength(0)
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test.each(['before', 'after'])(
    'is asked about for a month if the license of the previous service is deactivated %s the move',
    async (when) => {
      const service = await startTestService()
      onTestFinished(() => service.emulator.close())
      const old = createTestDevice(service)
      await old.launch()
      await old.core.activate(service.newLicense().id)
      const scene = await startFace('keygen')
      if (when === 'before') {
        service.emulator.control.faults.inject({ fault: 'status', status: 503 })
        await old.core.deactivate()
      }
      await old.quit()
      const device = scene.device({ store: old.store, secrets: old.secrets })
      await device.launch()
      if (when === 'after') await device.core.deactivate()
      expect(device.state).toMatchObject(pending)
      await device.elapse(3 * dayMs)
      expect(device.state).toMatchObject(quiet)
      expect((await device.recordOnDisk()).owed).toHaveLength(1)
      const before = scene.asked()
      await device.elapse(5 * dayMs)
      // The seat may be found again, so the service is asked to free it and to list the keys, once a day.
      expect(scene.asked() - before).toBe(10)
      await device.elapse(25 * dayMs)
      expect((await device.recordOnDisk()).owed).toEqual([])
      expect(device.state).toMatchObject(quiet)
    },
  )

  test('isn’t given up because Keygen doesn’t know the device while its list is refused', async () => {
    const missing = { errors: [{ title: 'Not found', detail: 'was not found', code: 'NOT_FOUND' }] }
    const denied = {
      errors: [{ title: 'Access denied', detail: 'not allowed', code: 'LICENSE_NOT_ALLOWED' }],
    }
    const { scene, device } = await deactivated(({ method }) =>
      method === 'DELETE' ? Response.json(missing, { status: 404 }) : Response.json(denied, { status: 403 }),
    )
    await device.elapse(20 * dayMs)
    // Nobody waits for it any longer.
    expect(device.state).toMatchObject(quiet)
    scene.answer = null
    await device.elapse(2 * dayMs)
    expect(scene.seats()).toHaveLength(0)
  })
})
