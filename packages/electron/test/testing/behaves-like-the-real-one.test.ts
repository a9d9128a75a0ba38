import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LicensingCore } from '../../src/core/licensing.ts'
import type { LicensingState } from '../../src/shared/licensing-state.ts'
import { createFakeLicensing } from '../../src/testing/index.ts'
import { createTestDevice, startTestService, type TestService } from '../core/fixture.ts'

/** The verbs that a fake and the real licensing share. */
type Verbs = Pick<
  LicensingCore,
  | 'state'
  | 'start'
  | 'subscribe'
  | 'activate'
  | 'reactivate'
  | 'validate'
  | 'cancelActivation'
  | 'deactivate'
  | 'devices'
  | 'releaseDevice'
>

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.emulator.close())

const kinds: readonly (readonly [string, () => Promise<{ licensing: Verbs; licenseKey: string }>])[] = [
  ['the fake', async () => ({ licensing: createFakeLicensing(), licenseKey: 'any text' })],
  [
    'the real one',
    async () => {
      const device = createTestDevice(service)
      await device.launch()
      return { licensing: device.core, licenseKey: service.newLicense().id }
    },
  ],
]

describe.each(kinds)('%s', (_name, create) => {
  test('starts unlicensed, without a license and not entitled', async () => {
    const { licensing } = await create()
    expect(await licensing.start()).toMatchObject({ status: 'unlicensed', entitled: false, license: null })
  })

  test('activates, and shows it in the result, in the state and to its listeners', async () => {
    const { licensing, licenseKey } = await create()
    const heard: [LicensingState['status'], boolean][] = []
    licensing.subscribe((state, previous) => heard.push([state.status, previous.entitled]))
    const result = await licensing.activate(licenseKey)
    expect(result).toMatchObject({ ok: true, state: { status: 'active', entitled: true, problem: null } })
    expect(licensing.state).toMatchObject({
      status: 'active',
      license: { activationLimit: 3, activationUsage: 1 },
    })
    expect(heard).toContainEqual(['active', false])
  })

  test('refuses blank text', async () => {
    const { licensing } = await create()
    expect(await licensing.activate('  ')).toMatchObject({
      ok: false,
      problem: { code: 'empty-text' },
      state: { status: 'unlicensed' },
    })
  })

  test.each([
    ['a missing field', undefined, 'empty-text'],
    ['an object around it', { licenseKey: 'KEY' }, 'no-license-key'],
    ['a number', 42, 'no-license-key'],
  ])('refuses %s in place of the text, as plain JavaScript may pass it', async (_what, given, code) => {
    const { licensing } = await create()
    const refused = { ok: false, problem: { code } }
    expect(await Reflect.apply(licensing.activate, licensing, [given])).toMatchObject(refused)
  })

  test('can’t reactivate, deactivate or list devices without an activation', async () => {
    const { licensing } = await create()
    const refused = { ok: false, problem: { code: 'not-activated' } }
    expect(await licensing.reactivate()).toMatchObject(refused)
    expect(await licensing.deactivate()).toMatchObject(refused)
    expect(await licensing.devices()).toMatchObject(refused)
  })

  test('canceling an activation changes nothing when none is pending', async () => {
    const { licensing, licenseKey } = await create()
    expect(await licensing.cancelActivation()).toMatchObject({ status: 'unlicensed', problem: null })
    await licensing.activate(licenseKey)
    expect(await licensing.cancelActivation()).toMatchObject({ status: 'active', entitled: true })
  })

  test('deactivates and frees the seat', async () => {
    const { licensing, licenseKey } = await create()
    await licensing.activate(licenseKey)
    expect(await licensing.deactivate()).toMatchObject({
      ok: true,
      seat: 'freed',
      state: { status: 'unlicensed', entitled: false, license: null },
    })
  })

  test('lists this device, and releasing it deactivates it', async () => {
    const { licensing, licenseKey } = await create()
    await licensing.activate(licenseKey)
    const listed = await licensing.devices()
    if (!listed.ok) throw new Error(listed.problem.code)
    expect(listed.devices).toMatchObject([{ isThisDevice: true }])
    expect(await licensing.releaseDevice(listed.devices[0]?.id ?? '')).toEqual({ ok: true })
    expect(licensing.state.status).toBe('unlicensed')
  })

  test('validates and stays active', async () => {
    const { licensing, licenseKey } = await create()
    await licensing.activate(licenseKey)
    expect(await licensing.validate()).toMatchObject({ status: 'active' })
  })

  test('a removed listener isn’t called', async () => {
    const { licensing, licenseKey } = await create()
    let heard = 0
    licensing.subscribe(() => {
      heard += 1
    })()
    await licensing.activate(licenseKey)
    expect(heard).toBe(0)
  })
})
