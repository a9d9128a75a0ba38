import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import type { ServiceFixtures } from '@latchkey/scripts/e2e/service-test'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { expect } from 'vitest'
import type { LicensingOptions } from '../../../src/main/options/licensing-options.ts'
import type { OpenApp, OpenAppFixtures } from '../../fixtures/open-app-test.ts'
import type { OptionPath } from './option-path.ts'
import { recordingService } from './recording-service.ts'

const dayMs = 86_400_000

/** What a row gets to show its option's effect with. */
export interface Scene extends OpenAppFixtures, ServiceFixtures {
  readonly userDataPath: string
  /** A folder beside the app's data. */
  readonly elsewhere: string
  /** An app that all rows share. */
  readonly sharedApp: OpenApp
}

/** Shows what an option does, on real Electron, or names the test that does. */
export type Effect = ((scene: Scene) => Promise<void>) | { readonly shownIn: string; readonly by: string }

type Given = Omit<Partial<LicensingOptions>, 'logger' | 'window'>

/** Creates licensing with options in the app that all rows share, in place of what was there. */
async function started({ sharedApp, elsewhere }: Scene, options: Given): Promise<OpenApp> {
  await dispose(sharedApp)
  await sharedApp.createLicensing({ directory: elsewhere, ...options })
  return sharedApp
}

/** Starts an app whose clock a row may move. Its user can quit it and start it again days later. */
async function startedInTime({ openApp }: Scene, options: Given) {
  const app = await openApp()
  await app.createLicensing(options)
  return {
    app,
    async again(days: number): Promise<void> {
      await dispose(app)
      await app.electronApp.evaluate((_electron, ms) => globalThis.passTime(ms), days * dayMs)
      await app.createLicensing(options)
    },
  }
}

/** Ends the licensing of an app, if it has one. */
export async function dispose(app: OpenApp): Promise<void> {
  await app.electronApp.evaluate(() => globalThis.licensing?.dispose())
}

/** Activates the emulator's license, and gives back the state or the problem's code. */
async function activate(app: OpenApp, { licenseKey }: Emulator): Promise<string> {
  return await app.electronApp.evaluate(async (_electron, key) => {
    const result = await globalThis.licensing.activate(key)
    return result.ok ? result.state.status : result.problem.code
  }, licenseKey)
}

const stateOf = (app: OpenApp) => app.electronApp.evaluate(() => globalThis.licensing.state)

/** Lets the app take itself for a packaged one. */
export async function pretendPackaged(app: OpenApp): Promise<void> {
  await app.electronApp.evaluate(({ app: electronApp }) => {
    Object.defineProperty(electronApp, 'isPackaged', { value: true })
  })
}

/** The options of an app that has an address, with further options of the service. */
function addressWith({ service: { access }, needs }: Scene, extra: object): Given {
  needs('an address as `service`')
  if (access.kind !== 'address') return {}
  const leaseKeys = access.leaseKeys === null ? {} : { leaseKeys: JSON.parse(access.leaseKeys) }
  return { service: { ...access.service, ...extra }, ...leaseKeys }
}

const ownAddress = 'the service’s own address as `service`'
const hasDeviceList = serviceUnderTest.has('the list of devices')

const windowTests = '../window/activation-window.e2e.test.ts'
const wears = 'wears what the developer configured, and forgets it when it closes'

/** One row for each option; without it this does not compile. */
export const effects: Readonly<Record<OptionPath, Effect>> = {
  async appId(scene) {
    // Another app on the same device takes a seat of its own.
    const one = await started(scene, { appId: 'com.example.one' })
    expect(await activate(one, scene.emulator)).toBe('active')
    const directory = path.join(scene.elsewhere, 'two')
    const other = await started(scene, { appId: 'com.example.two', directory })
    expect(await activate(other, scene.emulator)).toBe('active')
    expect(scene.emulator.control.keys(scene.emulator.demoLicense.id)).toHaveLength(2)
  },
  async 'service.baseUrl'(scene) {
    expect(await activate(await started(scene, {}), scene.emulator)).toBe('active')
    expect(scene.emulator.control.requests().length).toBeGreaterThan(0)
  },
  async 'service.accessToken'(scene) {
    scene.needs(ownAddress)
    const options = addressWith(scene, { accessToken: 'another-token' })
    expect(await activate(await started(scene, options), scene.emulator)).toBe('unauthorized')
  },
  async 'service.allowAccessTokenInPackagedAppWhereEveryUserCanReadIt'(scene) {
    scene.needs(ownAddress)
    const app = await scene.openApp()
    await pretendPackaged(app)
    await expect(app.createLicensing()).rejects.toThrow('accessToken')
    const allowed = { allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: true }
    await app.createLicensing(addressWith(scene, allowed))
    expect(await activate(app, scene.emulator)).toBe('active')
  },
  'service.licenseKeys': {
    shownIn: '../../../../../examples/activation-app/test/services-behind-a-gateway.e2e.test.ts',
    by: 'takes one seat, shows the devices when every seat is taken, and is deactivated',
  },
  async 'service.allowInsecure'(scene) {
    const baseUrl = 'http://licensing.invalid/v1'
    await dispose(scene.sharedApp)
    await expect(scene.sharedApp.createLicensing({ service: { baseUrl } })).rejects.toThrow('allowInsecure')
    const keys = scene.emulator.face === 'commerce' ? {} : { licenseKeys: 'any' as const }
    const app = await started(scene, { service: { baseUrl, allowInsecure: true, ...keys } })
    expect(await activate(app, scene.emulator)).toBe('offline')
  },
  async 'service.timeout'(scene) {
    scene.emulator.control.faults.inject({ fault: 'timeout' })
    const app = await started(scene, addressWith(scene, { timeout: 300 }))
    expect(await activate(app, scene.emulator)).toBe('timeout')
  },
  async 'service.headers'(scene) {
    scene.needs(ownAddress)
    const headers = { 'x-tenant': 'tenant-secret-0123456789' }
    const options = addressWith(scene, { headers })
    // The report names the device: what is secret in that is masked as well.
    const app = await started(scene, { ...options, device: { label: `Desk ${headers['x-tenant']}` } })
    await useEveryVerb(app, scene.emulator)
    const requests = scene.emulator.control.requests()
    expect(new Set(requests.map(({ operation }) => operation))).toEqual(
      new Set(['keys', 'key', 'activate', 'validate', 'deactivate']),
    )
    expect(requests.filter((request) => request.headers['x-tenant'] !== headers['x-tenant'])).toEqual([])
    const told = await app.electronApp.evaluate(async () => [
      ...globalThis.logged,
      await globalThis.licensing.diagnose(),
    ])
    expect(told.join('\n')).not.toContain(headers['x-tenant'])
  },
  async leaseKeys(scene) {
    const headers = { 'x-tenant': 'tenant-secret-0123456789' }
    const { service, leaseKeys, requests } = await recordingService(scene.emulator)
    const app = await started(scene, { service: { ...service, headers }, leaseKeys })
    await useEveryVerb(app, scene.emulator)
    expect(new Set(requests.map(({ verb }) => verb))).toEqual(
      new Set(['keys', 'activate', 'validate', 'deactivate']),
    )
    expect(requests.filter(({ tenant }) => tenant !== headers['x-tenant'])).toEqual([])
    // Without a signature of these keys nothing counts.
    const other = await recordingService(scene.emulator)
    const directory = path.join(scene.elsewhere, 'unsigned')
    const unsigned = await started(scene, { service: other.service, leaseKeys, directory })
    expect(await activate(unsigned, scene.emulator)).toBe('untrusted-answer')
  },
  async 'offlineActivation.url'(scene) {
    const { service, leaseKeys } = await recordingService(scene.emulator)
    const url = `${service.baseUrl}/offline`
    const app = await started(scene, { service, leaseKeys, offlineActivation: { url } })
    const request = await app.electronApp.evaluate(
      (_electron, key) => globalThis.licensing.createOfflineRequest(key),
      scene.emulator.licenseKey,
    )
    expect(request).toMatchObject({ ok: true, link: expect.stringContaining(`${url}#latchkey-request-1.`) })
  },
  async graceDays(scene) {
    const { app, again } = await startedInTime(scene, { graceDays: 3 })
    expect(await activate(app, scene.emulator)).toBe('active')
    const { checkedAt } = await stateOf(app)
    await scene.emulator.control.pause()
    await again(2)
    await app.electronApp.evaluate(() => globalThis.licensing.validate())
    const graceEndsAt = new Date(Date.parse(String(checkedAt)) + 3 * dayMs).toISOString()
    // Signed times have whole seconds.
    const toTheSecond = expect.stringContaining(graceEndsAt.slice(0, 19))
    expect(await stateOf(app)).toMatchObject({ status: 'grace', graceEndsAt: toTheSecond })
    await again(2)
    await app.electronApp.evaluate(() => globalThis.licensing.start())
    expect(await stateOf(app)).toMatchObject({ status: 'unverified', entitled: false })
  },
  async renewalGraceDays(scene) {
    scene.needs('the end of the license', 'an entitlement without a lease')
    // The license ends within grace, and whether it was renewed cannot be asked.
    const endsAt = new Date(Date.now() + 2 * dayMs).toISOString()
    scene.emulator.control.updateLicense(scene.emulator.demoLicense.id, { expires_at: endsAt })
    const { app, again } = await startedInTime(scene, { renewalGraceDays: 4 })
    expect(await activate(app, scene.emulator)).toBe('active')
    await scene.emulator.control.pause()
    for (const [days, entitled] of [
      [5, true],
      [2, false],
    ] as const) {
      await again(days)
      await app.electronApp.evaluate(() => globalThis.licensing.start())
      expect(await stateOf(app)).toMatchObject({ entitled })
    }
  },
  async renewalNoticeDays(scene) {
    scene.needs('the end of the license')
    const endsAt = new Date(Date.now() + 9 * dayMs).toISOString()
    scene.emulator.control.updateLicense(scene.emulator.demoLicense.id, { expires_at: endsAt })
    const app = await started(scene, { renewalNoticeDays: 10 })
    await activate(app, scene.emulator)
    expect(await stateOf(app)).toMatchObject({ license: { endsSoon: true } })
  },
  expiry: {
    shownIn: '../../core/state/covers-builds-released-before-the-end.test.ts',
    by: 'still entitles builds released up to its end, and no later ones: %s',
  },
  build: {
    shownIn: '../../core/state/covers-builds-released-before-the-end.test.ts',
    by: 'still entitles builds released up to its end, and no later ones: %s',
  },
  features: {
    shownIn: '../../core/state/grants-what-the-license-includes.test.ts',
    by: 'derives features from a plan, once for each answer',
  },
  async recheckHours(scene) {
    const app = await scene.openApp()
    await app.electronApp.evaluate(() => globalThis.keepLongTimers())
    await app.createLicensing({ recheckHours: 3 })
    expect(await activate(app, scene.emulator)).toBe('active')
    scene.service.forget()
    const waitedMs = await app.electronApp.evaluate(async () => {
      let waited = 0
      while (globalThis.licensing.state.activity === 'idle' && waited < 86_400_000) {
        waited += await globalThis.fireNextTimer()
      }
      return waited
    })
    // Jitter spreads the checks of many apps.
    expect(waitedMs).toBeGreaterThan(2 * 3_600_000)
    expect(waitedMs).toBeLessThan(4 * 3_600_000)
    await expect.poll(() => scene.service.operations()).toEqual(['validate'])
  },
  async trialDays(scene) {
    const { app, again } = await startedInTime(scene, { trialDays: 7 })
    await app.electronApp.evaluate(() => globalThis.licensing.start())
    expect(await stateOf(app)).toMatchObject({ status: 'trial', entitled: true })
    await again(8)
    await app.electronApp.evaluate(() => globalThis.licensing.start())
    expect(await stateOf(app)).toMatchObject({ entitled: false })
  },
  async 'device.label'(scene) {
    await activate(await started(scene, { device: { label: 'Front desk' } }), scene.emulator)
    const [key] = scene.emulator.control.keys(scene.emulator.demoLicense.id)
    // Keygen has a field of its own for the fingerprint.
    expect(key?.name).toMatch(/^Front desk(?: \[[0-9a-f]{16}\])?$/u)
  },
  async 'device.id'(scene) {
    // The same machine under two IDs is two devices. With the same ID it is one, wherever its data lies, if the service lists
    // devices.
    for (const [id, directory] of [
      ['fleet-1', 'a'],
      ['fleet-1', 'b'],
      ['fleet-2', 'c'],
    ] as const) {
      const app = await started(scene, { device: { id }, directory: path.join(scene.elsewhere, directory) })
      expect(await activate(app, scene.emulator)).toBe('active')
    }
    const seats = hasDeviceList ? 2 : 3
    expect(scene.emulator.control.keys(scene.emulator.demoLicense.id)).toHaveLength(seats)
  },
  async logger(scene) {
    scene.needs(ownAddress)
    const app = await started(scene, {
      ...addressWith(scene, { accessToken: 'another-token' }),
      graceDays: 1,
      recheckHours: 24,
    })
    await activate(app, scene.emulator)
    expect((await app.logged()).join('\n')).toMatch(/recheckHours is more than half.*token/su)
  },
  async directory(scene) {
    const app = await started(scene, { directory: scene.elsewhere })
    expect(await activate(app, scene.emulator)).toBe('active')
    expect(await readdir(scene.elsewhere)).toContain('license.json')
    const own = path.join(app.userDataPath, 'latchkey')
    expect(await readdir(own).catch(() => [])).not.toContain('license.json')
  },
  async storeName(scene) {
    const app = await scene.openApp()
    await app.createLicensing({ storeName: 'second-product' })
    expect(await activate(app, scene.emulator)).toBe('active')
    const written = await readdir(path.join(scene.userDataPath, 'latchkey'))
    expect(written).toContain('second-product.json')
    expect(written).not.toContain('license.json')
  },
  trustedOrigins: { shownIn: 'every-option.e2e.test.ts', by: 'a page of a trusted origin can use licensing' },
  deepLinkScheme: {
    shownIn: windowTests,
    by: 'fills in the key of a deep link while it is open, and activates nothing automatically',
  },
  'window.title': { shownIn: windowTests, by: wears },
  'window.logo': {
    shownIn: '../window/describe-screen.test.ts',
    by: 'contains the logo itself, never its path',
  },
  'window.accent': { shownIn: windowTests, by: wears },
  'window.links': {
    shownIn: windowTests,
    by: 'stands above the window it belongs to, and opens the configured link alone in the browser',
  },
  'window.locale': {
    shownIn: windowTests,
    by: 'shows the title, the accent and the user’s language, and keeps nothing of what it was handed',
  },
  'window.strings': { shownIn: windowTests, by: wears },
  'window.parent': {
    shownIn: windowTests,
    by: 'stands above the window it belongs to, and opens the configured link alone in the browser',
  },
  'window.prefilledText': {
    shownIn: windowTests,
    by: 'fills in the key of a deep link while it is open, and activates nothing automatically',
  },
}

async function useEveryVerb(app: OpenApp, emulator: Emulator): Promise<void> {
  expect(await activate(app, emulator)).toBe('active')
  await app.electronApp.evaluate(async () => {
    await globalThis.licensing.validate()
    await globalThis.licensing.devices()
    await globalThis.licensing.deactivate()
  })
  await expect.poll(() => emulator.control.keys(emulator.demoLicense.id)).toEqual([])
}
