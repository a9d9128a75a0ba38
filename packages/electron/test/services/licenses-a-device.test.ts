import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../core/fixture.ts'
import { adapterNames, keyOfLicense, startFace, unlistedNames } from './faces.ts'

describe.each(adapterNames)('an app that is sold through %s', (name) => {
  test('activates with the pasted text, stays active and frees its seat', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    expect((await device.launch()).status).toBe('unlicensed')

    const result = await device.core.activate(`Your license key: ${scene.licenseKey}\n`)
    expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, problem: null } })
    expect(scene.seats()).toHaveLength(1)

    expect((await device.launch()).status).toBe('active')
    await device.elapse(3 * dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(scene.seats()).toHaveLength(1)

    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(scene.seats()).toEqual([])
    expect((await device.launch()).status).toBe('unlicensed')
  })

  test('is entitled at once after a restart without a network, and until grace ends', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    scene.emulator.control.faults.inject({ fault: 'reset' })
    expect((await device.decide()).entitled).toBe(true)
    await device.elapse(13 * dayMs)
    expect(device.state).toMatchObject({ status: 'grace', entitled: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: 'unverified', entitled: false })
    scene.emulator.control.faults.clear()
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
  })

  test('activates automatically later if the service was unreachable', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await scene.emulator.control.pause()
    const result = await device.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'offline' } })
    await scene.emulator.control.resume()
    await device.elapse(hourMs)
    expect(device.state.status).toBe('active')
    expect(scene.seats()).toHaveLength(1)
  })

  test('reports that the license key is unknown, and takes no seat', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    const wrong = scene.licenseKey.replace(/[\dA-Fa-f](?=[^\dA-Fa-f]*$)/u, (digit) =>
      digit === '0' ? '1' : '0',
    )
    const result = await device.core.activate(wrong)
    expect(result).toMatchObject({ ok: false, problem: { code: 'license-not-found' } })
    expect(await device.recordOnDisk()).toMatchObject({ activation: null, wanted: null, owed: [] })
  })

  test('reports that all seats are in use', async () => {
    const scene = await startFace(name)
    scene.emulator.control.updateLicense(scene.licenseId, { activation_limit: 1 })
    const [one, other] = [scene.device(), scene.device({ device: { machineId: 'machine-two' } })]
    await one.launch()
    await other.launch()
    await one.core.activate(scene.licenseKey)
    const result = await other.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'no-seat-left' } })
    expect(scene.seats()).toHaveLength(1)
    expect(await other.recordOnDisk()).toMatchObject({ wanted: null, owed: [] })
  })

  test('refuses an ended and a suspended license', async () => {
    const isDodo = name === 'dodo'
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    scene.emulator.control.suspend(scene.licenseId)
    await device.core.validate()
    // Dodo Payments doesn't report why, and says the same about a license that it doesn't know.
    if (isDodo) await device.elapse(3 * dayMs)
    expect(device.state.status).toBe(isDodo ? 'inactive' : 'suspended')
    scene.emulator.control.reinstate(scene.licenseId)
    await device.core.validate()
    expect(device.state.status).toBe('active')
    scene.emulator.control.expire(scene.licenseId)
    await device.core.validate()
    if (isDodo) await device.elapse(3 * dayMs)
    expect(device.state.status).toBe(isDodo ? 'inactive' : 'expired')
  })

  test('deactivates offline, and frees the seat once it is online', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    scene.emulator.control.faults.inject({ fault: 'reset' })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    expect(device.state.status).toBe('unlicensed')
    scene.emulator.control.faults.clear()
    await device.elapse(dayMs)
    expect(scene.seats()).toEqual([])
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  })

  test('keeps the license key unchanged, and shows only its first and last characters', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    expect((await device.recordOnDisk()).activation?.licenseKey).toBe(scene.licenseKey)
    const shown = JSON.stringify([device.states, device.core.diagnose(), device.logger.lines])
    expect(shown).not.toContain(scene.licenseKey)
  })
})

describe.each(unlistedNames)('if %s lists no devices', (name) => {
  test('a device whose seat was freed is entitled until the service has reported it for a day', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    const [key] = scene.emulator.control.keys(scene.licenseId)
    scene.emulator.control.removeKey(scene.licenseId, key?.id ?? '')
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true, problem: { code: 'unconfirmed' } })
    await device.elapse(20 * hourMs)
    expect(device.state.entitled).toBe(true)
    await device.elapse(30 * hourMs)
    expect(device.state).toMatchObject({ status: 'revoked', entitled: false })
  })

  test('an activation whose answer was lost is not repeated automatically', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    scene.emulator.control.faults.inject({
      fault: 'reset',
      operation: 'activate',
      when: 'after-acting',
      times: 1,
    })
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
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    const { control } = scene.emulator
    const other = control.createLicense()
    const otherKey = keyOfLicense(scene, other.id)
    if (what === 'unknown') control.deleteLicense(other.id)
    else control.suspend(other.id)
    expect(await device.core.activate(otherKey)).toMatchObject({ ok: false, problem: { code } })
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
    await device.launch()
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed' })
    expect(scene.seats()).toEqual([])
  })

  test('frees the seat of an offline deactivation, even while a later activation waits for the user', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    const { faults } = scene.emulator.control
    faults.inject({ fault: 'status', status: 503, operation: ['activate', 'deactivate'] })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    const result = await device.core.activate(scene.licenseKey)
    expect(result).toMatchObject({ ok: false, problem: { code: 'seat-may-be-taken' } })
    faults.clear()
    await device.elapse(dayMs)
    expect(scene.seats()).toEqual([])
    expect((await device.recordOnDisk()).owed).toEqual([])
  })

  test('an app uses its remembered activation again', async () => {
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    await device.core.activate(scene.licenseKey)
    expect(scene.seats()).toHaveLength(1)
  })
})

test('if the service lists devices, a reinstalled app keeps its seat', async () => {
  const scene = await startFace('keygen')
  const device = scene.device()
  await device.launch()
  await device.core.activate(scene.licenseKey)
  const reinstalled = scene.device()
  await reinstalled.launch()
  expect(await reinstalled.core.activate(scene.licenseKey)).toMatchObject({ ok: true })
  expect(scene.seats()).toHaveLength(1)
  expect(await reinstalled.core.devices()).toMatchObject({ ok: true, devices: [{ isThisDevice: true }] })
})

test('the list shows a long device name whole', async () => {
  const scene = await startFace('keygen')
  const device = scene.device({ device: { label: 'Anna’s computer in the Berlin office' } })
  await device.launch()
  await device.core.activate(scene.licenseKey)
  expect(await device.core.devices()).toMatchObject({
    devices: [{ label: 'Anna’s computer in the Berlin office' }],
  })
})

/** "Not found", as the services say it. Dodo Payments says the same about a license that has ended. */
const notFound = {
  dodo: [200, { valid: false }],
  'lemon-squeezy': [404, { valid: false, error: 'license_key not found.', license_key: null, meta: null }],
  polar: [404, { error: 'ResourceNotFound', detail: 'Not found' }],
} as const

test.each([
  ['dodo', 'inactive'],
  ['lemon-squeezy', 'revoked'],
  ['polar', 'revoked'],
] as const)(
  'a license that %s denies for half an hour is not lost, and one denied for two days is %s',
  async (name, ended) => {
    const [status, body] = notFound[name]
    const deny = (): Response => Response.json(body, { status })
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    scene.answer = deny
    await device.core.validate()
    expect(device.state).toMatchObject({ status: 'grace', entitled: true, problem: { code: 'unconfirmed' } })
    await device.elapse(hourMs / 2)
    scene.answer = null
    await device.elapse(dayMs)
    expect(device.state).toMatchObject({ status: 'active', problem: null })
    // A day later the next denial counts as the first one again.
    scene.answer = deny
    await device.core.validate()
    expect(device.state).toMatchObject({ entitled: true })
    await device.elapse(2 * dayMs)
    expect(device.state).toMatchObject({ status: ended, entitled: false })
    // It works again without typing once the service knows it.
    scene.answer = null
    await device.core.reactivate()
    expect(device.state).toMatchObject({ status: 'active', entitled: true })
  },
)

test.each(['dodo', 'lemon-squeezy', 'polar'] as const)(
  'a proxy that denies the license to every request frees no seat at %s, and the app frees it after that',
  async (name) => {
    const [status, body] = notFound[name]
    const scene = await startFace(name)
    const device = scene.device()
    await device.launch()
    await device.core.activate(scene.licenseKey)
    scene.answer = () => Response.json(body, { status })
    expect(await device.core.deactivate()).toMatchObject({ ok: true, seat: 'freed-later' })
    await device.elapse(hourMs)
    expect(scene.seats()).toHaveLength(1)
    scene.answer = null
    await device.elapse(dayMs)
    expect(scene.seats()).toEqual([])
    expect(await device.recordOnDisk()).toMatchObject({ owed: [] })
  },
)

test('a license key that the customer replaced at Polar takes no second seat', async () => {
  const scene = await startFace('polar')
  const device = scene.device()
  await device.launch()
  await device.core.activate(scene.licenseKey)
  // The face's license goes by another key from now on, and its activations stay.
  const rotated = 'INKWELL-11111111-2222-4333-8444-555555555555'
  scene.rewrite = { from: rotated, to: scene.licenseKey }
  expect(await device.core.activate(rotated)).toMatchObject({ ok: true, state: { status: 'active' } })
  expect(scene.seats()).toHaveLength(1)
  expect(await device.recordOnDisk()).toMatchObject({ activation: { licenseKey: rotated }, owed: [] })
})

test('a machine that Keygen created is found again, even if a proxy refuses every list before and after', async () => {
  const scene = await startFace('keygen', { isSigned: false })
  const device = scene.device()
  await device.launch()
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
