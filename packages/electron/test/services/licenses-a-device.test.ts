import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../core/fixture.ts'
import {
  type AdapterName,
  activateDevice,
  adapterNames,
  keyOfLicense,
  lostActivation,
  noNetwork,
  startDevice,
  unlistedNames,
} from './faces.ts'

describe.each(adapterNames)('an app that is sold through %s', (name) => {
  const isDodo = name === 'dodo'

  test('activates with the pasted text, stays active and frees its seat', async () => {
    const { scene, device } = await startDevice(name)
    expect(device.state.status).toBe('unlicensed')

    const result = await device.core.activate(`Your license key: ${scene.licenseKey}\n`)
    expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, problem: null } })
    expect(scene.seats()).toHaveLength(1)

    expect((await device.launch()).status).toBe('active')
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    // An active license uses no other seat.
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)

    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(scene.seats()).toEqual([])
    expect((await device.launch()).status).toBe('unlicensed')
  })

  test('is entitled at once after a restart without a network, and until grace ends', async () => {
    const { scene, device } = await activateDevice(name)
    scene.answer = noNetwork
    expect((await device.decide()).entitled).toBe(true)
    await device.elapse(13 * dayMs)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    scene.answer = null
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('reports that all seats are in use', async () => {
    const { scene, control } = await activateDevice(name)
    control.updateLicense(scene.licenseId, { activation_limit: 1 })
    const other = scene.device({ device: { machineId: 'machine-two' } })
    await other.launch()
    const result = await other.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
    expect(scene.seats()).toHaveLength(1)
    expect(await other.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })

  test('refuses an ended and a suspended license', async () => {
    const { scene, device, control } = await activateDevice(name)
    control.suspend(scene.licenseId)
    await device.core.validate()
    // Dodo Payments doesn't report why, and says the same about a license that it doesn't know.
    if (isDodo) await device.elapse(3 * dayMs)
    expect(device.state.status).toBe(isDodo ? 'inactive' : 'suspended')
    control.reinstate(scene.licenseId)
    await device.core.validate()
    expect(device.state.status).toBe('active')
    control.expire(scene.licenseId)
    await device.core.validate()
    if (isDodo) await device.elapse(3 * dayMs)
    expect(device.state.status).toBe(isDodo ? 'inactive' : 'expired')
  })

  test('deactivates offline, and frees the seat once it is online', async () => {
    const { scene, device } = await activateDevice(name)
    scene.answer = noNetwork
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(device.state.status).toBe('unlicensed')
    scene.answer = null
    await device.elapse(dayMs)
    expect(scene.seats()).toEqual([])
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  })

  test('keeps the license key unchanged, and shows only its first and last characters', async () => {
    const { scene, device } = await activateDevice(name)
    expect((await device.recordOnDisk()).activation?.licenseKey).toBe(scene.licenseKey)
    const shown = JSON.stringify([device.states, device.core.diagnose(), device.logger.lines])
    expect(shown).not.toContain(scene.licenseKey)
  })

  test('names its customer and its end where the service does', async () => {
    const { scene, device, control } = await activateDevice(name)
    const licensee = name === 'keygen' ? undefined : expect.stringMatching(/\w/u)
    const isEndUnknown = isDodo ? true : undefined
    for (let check = 0; check < 2; check += 1) {
      const { license } = device.state
      expect([license?.licensee, license?.isEndUnknown]).toEqual([licensee, isEndUnknown])
      expect(license?.expiresAt).toEqual(isDodo ? null : expect.stringMatching(/^20/u))
      await device.core.validate()
    }
    if (isDodo) return expect(device.core.diagnose().join('\n')).toContain('expires unknown')
    control.updateLicense(scene.licenseId, { expires_at: null })
    await device.core.validate()
    expect(device.state.license).toMatchObject({ expiresAt: null })
    expect(device.state.license).not.toHaveProperty('isEndUnknown')
  })
})

/** How a service says that it doesn't know a license key. Dodo Payments says the same about a license that has ended. */
const notFound = {
  dodo: [200, { valid: false }],
  'lemon-squeezy': [404, { valid: false, error: 'license_key not found.', license_key: null, meta: null }],
  polar: [404, { error: 'ResourceNotFound', detail: 'Not found' }],
} as const
const isUnlisted = (name: AdapterName): name is keyof typeof notFound => name in notFound

describe.each(unlistedNames.filter(isUnlisted))('if %s lists no devices', (name) => {
  const [status, body] = notFound[name]
  const deny = (): Response => Response.json(body, { status, headers: { date: new Date().toUTCString() } })
  const unconfirmed = { status: 'grace', entitled: true, problem: { code: 'unconfirmed' } }
  const lost = name === 'dodo' ? 'inactive' : 'revoked'

  test('a device whose seat was freed is entitled until the service has reported it for a day', async () => {
    const { scene, device, control } = await activateDevice(name)
    for (const { id } of control.keys(scene.licenseId)) control.removeKey(scene.licenseId, id)
    await device.core.validate()
    expect(device.state).toMatchObject(unconfirmed)
    // A clock that is set ahead is no day.
    device.clock.jump(2 * dayMs)
    await device.core.validate()
    expect(device.state).toMatchObject(unconfirmed)
    await device.elapse(20 * hourMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(30 * hourMs)
    expect(device.state).toMatchObject({ status: 'revoked', entitled: false })
  })

  test(`a license that it denies for half an hour is not lost, and one denied for two days is ${lost}`, async () => {
    const { scene, device } = await activateDevice(name)
    scene.answer = deny
    await device.core.validate()
    expect(device.state).toMatchObject(unconfirmed)
    await device.elapse(30 * minuteMs)
    scene.answer = null
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    // A day later the next denial counts as the first one again.
    scene.answer = deny
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: lost, entitled: false })
    // It works again without typing once the service knows it.
    scene.answer = null
    await device.core.reactivate()
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  })

  test('a proxy that denies the license to every request frees no seat, and the app frees it after that', async () => {
    const { scene, device } = await activateDevice(name)
    scene.answer = deny
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    // Even if the clock is set ahead by more than the month for which a seat is remembered.
    device.clock.jump(40 * dayMs)
    await device.core.validate()
    expect(scene.seats()).toHaveLength(1)
    scene.answer = null
    await device.elapse(dayMs)
    expect(scene.seats()).toEqual([])
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  })

  test('an activation whose answer was lost is not repeated automatically', async () => {
    const { scene, device, control } = await startDevice(name)
    control.faults.inject(lostActivation)
    const result = await device.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'seat-may-be-taken' } })
    await device.elapse(2 * dayMs)
    expect(scene.seats()).toHaveLength(1)
    // What a person asks for again is done.
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(device.state.status).toBe('active')
    await device.elapse(2 * dayMs)
    expect(await device.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })

  test.each([
    ['unknown', 'license-not-found'],
    ['suspended', name === 'dodo' ? 'license-inactive' : 'license-suspended'],
  ])('keeps its license when the user pastes another license key that is %s', async (what, code) => {
    const { scene, device, control } = await activateDevice(name)
    const other = control.createLicense()
    if (what === 'unknown') control.deleteLicense(other.id)
    else control.suspend(other.id)
    const result = await device.core.activate(keyOfLicense(scene, other.id))
    expect(result).toMatchObject({ ok: false, problem: { code } })
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    await device.launch()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(scene.seats()).toEqual([])
  })

  test('frees the seat of an offline deactivation, even while a later activation waits for the user', async () => {
    const { scene, device, control } = await activateDevice(name)
    control.faults.inject({ fault: 'status', status: 503, operation: ['activate', 'deactivate'] })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    const result = await device.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'seat-may-be-taken' } })
    control.faults.clear()
    await device.elapse(dayMs)
    expect(scene.seats()).toEqual([])
    expect((await device.recordOnDisk()).owed).toEqual([])
  })
})

describe('Keygen, which lists devices,', () => {
  test('lets a reinstalled app keep its seat, and shows a long device name whole', async () => {
    const label = 'Anna’s computer in the Berlin office'
    const { scene } = await activateDevice('keygen', { device: { label } })
    const reinstalled = scene.device({ device: { label } })
    await reinstalled.launch()
    expect(await reinstalled.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(1)
    expect(await reinstalled.core.devices()).toMatchObject({ devices: [{ label, isThisDevice: true }] })
  })

  test('shows the machine it created later, even if a proxy refuses every list before and after', async () => {
    const { scene, device } = await startDevice('keygen', { isSigned: false })
    let validations = 0
    // The list, the look before the activation, and the one after it.
    scene.answer = ({ url }) => {
      if (url.endsWith('/validate-key')) validations += 1
      const isRefused = url.endsWith('/validate-key') && validations !== 2
      return isRefused ? Response.json({ message: 'no' }, { status: 400 }) : null
    }
    await device.core.activate(scene.licenseKey)
    expect(scene.seats()).toHaveLength(1)
    expect((await device.recordOnDisk()).wanted).not.toBeNull()
    scene.answer = null
    await device.elapse(hourMs)
    expect(device.state.status).toBe('active')
    expect(scene.seats()).toHaveLength(1)
  })

  test('frees the machine that a late request creates after a deactivation', async () => {
    const { scene, device } = await startDevice('keygen', { isSigned: false })
    let late: Request | null = null
    scene.answer = (request) => {
      if (late !== null || request.method !== 'POST' || !request.url.endsWith('/machines')) return null
      late = request.clone()
      return new Response('<!doctype html><title>Bad Gateway</title>', { status: 502 })
    }
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: false })
    expect(await device.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
    expect(await device.core.deactivate()).toMatchObject({ ok: true })
    expect(scene.seats()).toHaveLength(0)
    if (late !== null) await fetch(late)
    expect(scene.seats()).toHaveLength(1)
    await device.elapse(30 * minuteMs)
    expect(scene.seats()).toHaveLength(0)
  })
})

test('a license key that the customer replaced at Polar takes no second seat', async () => {
  const { scene, device } = await activateDevice('polar')
  // The face's license goes by another key from now on, and its activations stay.
  const rotated = 'INKWELL-11111111-2222-4333-8444-555555555555'
  scene.rewrite = { from: rotated, to: scene.licenseKey }
  expect(await device.core.activate(rotated)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(scene.seats()).toHaveLength(1)
  expect(await device.recordOnDisk()).toMatchObject({ activation: { licenseKey: rotated }, owed: [] })
})
