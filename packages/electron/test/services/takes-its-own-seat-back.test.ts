import type { FaultRule } from '@latchkey/emulator'
import { beforeEach, describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs, type TestDevice, withDate } from '../core/fixture.ts'
import { reach } from '../doubles/app-service.ts'
import { skipWaitsBeforeRetries } from '../doubles/skip-waits.ts'
import { adapterNames, adapterOf, type FaceScene, keyOfLicense, startFace, unlistedNames } from './faces.ts'

/** What a request rejects with on a computer without a network. */
function disconnected(): never {
  throw new Error('net::ERR_NAME_NOT_RESOLVED')
}

/** A device that was deactivated while the service failed, of a license with one seat. */
async function leaving(
  name: (typeof adapterNames)[number],
  fault: FaultRule | 'offline',
): Promise<{ scene: FaceScene; device: TestDevice }> {
  const scene = await startFace(name)
  const { control } = scene.emulator
  control.updateLicense(scene.licenseId, { activation_limit: 1 })
  const device = scene.device()
  await device.launch()
  await device.core.activate(scene.licenseKey)
  if (fault === 'offline') scene.answer = disconnected
  else control.faults.inject(fault)
  expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
  scene.answer = null
  return { scene, device }
}

const seatsOf = ({ emulator, licenseId }: FaceScene): readonly string[] =>
  emulator.control.keys(licenseId).map(({ id }) => id)

beforeEach(skipWaitsBeforeRetries)

describe.each(adapterNames)('the only seat of a license at %s', (name) => {
  test('is used again at once after a deactivation without a network', async () => {
    const { scene, device } = await leaving(name, 'offline')
    const seats = seatsOf(scene)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(seatsOf(scene)).toEqual(seats)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })

  test('is free for this device at once after a deactivation that was cut off', async () => {
    const { scene, device } = await leaving(name, { fault: 'reset' })
    scene.emulator.control.faults.clear()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('is used again when the user returns to it from another license', async () => {
    const scene = await startFace(name)
    const { control } = scene.emulator
    control.updateLicense(scene.licenseId, { activation_limit: 1 })
    const other = control.createLicense({ activation_limit: 1 })
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
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
      const failing = {
        fault: 'status',
        status: 503,
        operation: ['activate', 'deactivate'],
      } satisfies FaultRule
      const { scene, device } = await leaving(name, failing)
      const result = await device.core.activate(scene.licenseKey)
      expect(result).toMatchObject({ ok: false, problem: { code: 'seat-may-be-taken' } })
      scene.answer = () => Response.json({}, { status: 503 })
      await device.elapse(minutes * minuteMs)
      scene.answer = null
      scene.emulator.control.faults.clear()
      expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
      await device.elapse(2 * dayMs)
      expect(device.state).toMatchObject({ status: 'active', problem: null })
      expect(scene.seats()).toHaveLength(1)
      expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
    },
  )

  test('an activation that waits takes the seat back by itself, once no earlier request can free it', async () => {
    const failing = {
      fault: 'status',
      status: 503,
      operation: ['activate', 'deactivate'],
    } satisfies FaultRule
    const { scene, device } = await leaving(name, failing)
    const seats = seatsOf(scene)
    await device.core.activate(scene.licenseKey)
    device.kill()
    device.sleep(hourMs)
    scene.emulator.control.faults.clear()
    expect(await device.launch()).toMatchObject({ status: 'active', problem: null })
    expect(seatsOf(scene)).toEqual(seats)
  })

  test('a seat isn’t used again while a request that was cut off may still free it', async () => {
    const { scene, device } = await leaving(name, { fault: 'reset' })
    const seats = seatsOf(scene)
    scene.emulator.control.faults.clear()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(seatsOf(scene)).not.toEqual(seats)
  })

  test('another license is activated although that seat can’t be freed yet', async () => {
    const { scene, device } = await leaving(name, { fault: 'status', status: 503, operation: 'deactivate' })
    const { control } = scene.emulator
    const other = control.createLicense()
    expect(await device.core.activate(keyOfLicense(scene, other.id))).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)
    control.faults.clear()
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect([scene.seats().length, control.keys(other.id).length]).toEqual([0, 1])
  })

  test('a new seat is taken if the queued one is gone', async () => {
    const { scene, device } = await leaving(name, { fault: 'reset', when: 'after-acting' })
    expect(scene.seats()).toEqual([])
    scene.emulator.control.faults.clear()
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })

  test('a license that has ended since isn’t put on record by a seat that may be gone', async () => {
    const { scene, device } = await leaving(name, { fault: 'reset', when: 'after-acting' })
    scene.emulator.control.faults.clear()
    scene.emulator.control.expire(scene.licenseId)
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    expect(device.state.status).toBe('unlicensed')
    expect((await device.recordOnDisk()).activation).toBeNull()
  })
})

describe('a license key that the customer replaced at Polar after this device was deactivated offline', () => {
  const replacement = 'INKWELL-11111111-2222-4333-8444-555555555555'
  async function replaced(): ReturnType<typeof leaving> {
    const { scene, device } = await leaving('polar', 'offline')
    scene.rewrite = { from: replacement, to: scene.licenseKey }
    return { scene, device }
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

test('seats of licenses that Polar doesn’t know anymore leave room for its three requests a second', async () => {
  const scene = await startFace('polar')
  const { control } = scene.emulator
  const device = scene.device()
  await device.launch()
  for (const { id } of [control.createLicense({}), control.createLicense({})]) {
    await device.core.activate(keyOfLicense(scene, id))
    scene.answer = disconnected
    await device.core.deactivate()
    scene.answer = null
    control.deleteLicense(id)
  }
  await device.elapse(2 * hourMs)
  expect((await device.recordOnDisk()).owed).toHaveLength(2)

  const before = scene.asked()
  expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
  const operations = control
    .requests()
    .slice(before)
    .map(({ operation }) => operation)
  expect(operations.indexOf('activate')).toBeLessThan(3)
  await device.elapse(3 * dayMs)
  expect(device.state).toMatchObject({ status: 'active', problem: null })
  expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
})

test.each([
  [0, 'unconfirmed'],
  [25, 'moved-to-another-device'],
])(
  'a replaced license key finds the seat in use, though Polar forgot an earlier license too, %i hours later',
  async (hours, code) => {
    const { scene, device } = await leaving('polar', 'offline')
    const { control } = scene.emulator
    control.deleteLicense(scene.licenseId)
    const { id } = control.createLicense({ activation_limit: 1 })
    const licenseKey = keyOfLicense(scene, id)
    await device.core.activate(licenseKey)
    const seats = control.keys(id)
    const replacement = 'INKWELL-11111111-2222-4333-8444-555555555555'
    scene.rewrite = { from: replacement, to: licenseKey }
    await device.core.validate()
    device.sleep(hours * hourMs)
    await device.core.validate()
    expect(device.state.problem?.code).toBe(code)
    expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
    expect(control.keys(id)).toEqual(seats)
  },
)

describe.each(['deleted', 'released elsewhere'])(
  'if the license before the one in use at Polar was %s',
  (how) => {
    /** The seat of the earlier license is queued, and Polar has said once that it doesn't know it. */
    async function beside(limit: number) {
      const { scene, device } = await leaving('polar', 'offline')
      const { control } = scene.emulator
      if (how === 'deleted') control.deleteLicense(scene.licenseId)
      else for (const { id } of control.keys(scene.licenseId)) control.removeKey(scene.licenseId, id)
      const { id } = control.createLicense({ activation_limit: limit })
      const licenseKey = keyOfLicense(scene, id)
      await device.core.activate(licenseKey)
      await device.elapse(2 * hourMs)
      expect((await device.recordOnDisk()).owed).toHaveLength(1)
      return { scene, device, control, id, licenseKey }
    }

    test.each([1, 3])('a replaced license key keeps the seat in use, of %i', async (limit) => {
      const { scene, device, control, id, licenseKey } = await beside(limit)
      const seats = control.keys(id)
      const replacement = 'INKWELL-11111111-2222-4333-8444-555555555555'
      scene.rewrite = { from: replacement, to: licenseKey }
      expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
      await device.elapse(3 * dayMs)
      expect(device.state).toMatchObject({ status: 'active', problem: null })
      expect(control.keys(id)).toEqual(seats)
    })

    test('a third license is activated at once, though Polar allows three requests a second', async () => {
      const { scene, device, control, id } = await beside(1)
      let times: readonly number[] = []
      scene.answer = () => {
        const nowMs = device.clock.now()
        times = [...times.filter((atMs) => nowMs - atMs < 1000), nowMs]
        const headers = { 'retry-after': '60' }
        return times.length > 3 ? Response.json({ error: 'TooManyRequests' }, { status: 429, headers }) : null
      }
      const third = control.createLicense({ activation_limit: 1 })
      const licenseKey = keyOfLicense(scene, third.id)
      expect(await device.core.activate(licenseKey)).toMatchObject({ ok: true })
      scene.answer = null
      await device.elapse(2 * dayMs)
      expect([control.keys(third.id).length, control.keys(id).length]).toEqual([1, 0])
    })
  },
)

test('returning to a license whose seat is gone leaves room for Polar’s three requests a second', async () => {
  const { scene, device } = await leaving('polar', { fault: 'reset', when: 'after-acting' })
  const { control } = scene.emulator
  control.faults.clear()
  await device.core.activate(keyOfLicense(scene, control.createLicense().id))
  await device.elapse(hourMs)
  const before = scene.asked()
  expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
  const operations = control
    .requests()
    .slice(before)
    .map(({ operation }) => operation)
  expect(operations.indexOf('activate')).toBeLessThan(3)
})

test('each seat that Polar doesn’t know is asked about in turn, and freed if it is known again within a day', async () => {
  const scene = await startFace('polar')
  const { control } = scene.emulator
  const device = scene.device()
  await device.launch()
  const [deleted, hidden] = [control.createLicense({}), control.createLicense({})]
  for (const { id } of [deleted, hidden]) {
    await device.core.activate(keyOfLicense(scene, id))
    scene.answer = disconnected
    await device.core.deactivate()
    scene.answer = null
    if (id === deleted.id) control.deleteLicense(id)
  }
  scene.answer = () => Response.json({ error: 'ResourceNotFound', detail: 'Not found' }, { status: 404 })
  await device.elapse(20 * hourMs)
  scene.answer = null
  await device.elapse(4 * dayMs)
  expect(control.keys(hidden.id)).toEqual([])
  expect((await device.recordOnDisk()).owed).toEqual([])
})

test('a seat that Polar refuses to free for another reason doesn’t keep the next one from its turn', async () => {
  const scene = await startFace('polar')
  const { control } = scene.emulator
  const [refused, hidden] = [control.createLicense({}), control.createLicense({})]
  let says: ((url: string, body: string) => Response | null) | null = null
  const commerce = reach({
    service: adapterOf.polar(scene.emulator),
    fetch: async (request, init) => {
      const body = await request.clone().text()
      return withDate(says?.(request.url, body) ?? (await fetch(request, init)), device.elapsedMs())
    },
  })
  const device = scene.device({ service: commerce })
  await device.launch()
  for (const { id } of [refused, hidden]) {
    await device.core.activate(keyOfLicense(scene, id))
    says = disconnected
    await device.core.deactivate()
    says = null
    if (id === refused.id) control.deleteLicense(id)
  }
  says = () => Response.json({ error: 'ResourceNotFound', detail: 'Not found' }, { status: 404 })
  await device.elapse(30 * hourMs)
  expect((await device.recordOnDisk()).owed).toHaveLength(2)
  const ended = { error: 'NotPermitted', detail: 'License key has expired.' }
  says = (url, body) =>
    url.endsWith('/deactivate') && body.includes(keyOfLicense(scene, refused.id))
      ? Response.json(ended, { status: 403 })
      : null
  await device.elapse(4 * dayMs)
  expect(control.keys(hidden.id)).toEqual([])
  expect(await device.recordOnDisk()).toMatchObject({
    owed: [{ licenseKey: keyOfLicense(scene, refused.id) }],
  })
})

describe.each(unlistedNames)('after a license key of %s was replaced', (name) => {
  test.each([
    [404, { message: 'no Route matched with those values' }],
    [404, { error: 'Not Found', status: 404, path: '/' }],
    [404, { errors: [{ status: '404', title: 'Not Found' }] }],
    [400, { code: 400, message: 'Bad Request' }],
    [404, {}],
  ])('one answer of a proxy takes no second seat (%i %j)', async (status, body) => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    const replacement = `${scene.licenseKey.slice(0, -4)}0000`
    scene.rewrite = { from: replacement, to: scene.licenseKey }
    let answers = 1
    scene.answer = () => (answers-- > 0 ? Response.json(body, { status }) : null)
    await device.core.activate(replacement)
    expect(answers).toBeLessThan(1)
    expect(await device.core.activate(replacement)).toMatchObject({ ok: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)
  })
})
