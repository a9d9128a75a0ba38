import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { ServiceFixtures } from '@latchkey/scripts/e2e/service-test'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { describe, expect } from 'vitest'
import type {
  ActivationWindowOptions,
  DeviceOptions,
  LicensingOptions,
  OfflineActivationOptions,
  ServiceOptions,
} from '../../../src/main/options/licensing-options.ts'
import { type OpenApp, type OpenAppFixtures, test } from '../../fixtures/open-app-test.ts'
import { recordingService } from '../../fixtures/recording-service.ts'
import { page, startServer } from '../../fixtures/start-server.ts'

/** Options that are objects of options of their own. */
interface Groups {
  readonly service: ServiceOptions
  readonly device: DeviceOptions
  readonly offlineActivation: OfflineActivationOptions
  readonly window: ActivationWindowOptions
}

type PathsOf<Group extends keyof Groups> = `${Group}.${keyof Groups[Group] & string}`

/** Every option of `createLicensing`, such as `graceDays` and `service.headers`. */
type OptionPath =
  | Exclude<keyof LicensingOptions, keyof Groups>
  | { readonly [Group in keyof Groups]: PathsOf<Group> }[keyof Groups]

type Given = Omit<Partial<LicensingOptions>, 'logger' | 'window'>
type Scene = Pick<OpenAppFixtures, 'app' | 'directory'> & ServiceFixtures

/** Shows what an option does, on real Electron. The name of a test file: it is shown there. */
type Effect = ((scene: Scene) => Promise<void>) | `${string}.test.ts`

/** Creates licensing in place of what was there. */
async function create({ app }: Scene, options: Given): Promise<void> {
  await app.electronApp.evaluate(() => globalThis.licensing?.dispose())
  await app.createLicensing(options)
}

/** Creates licensing, activates the emulator's license, and gives back the status or the problem's code. */
async function activate(scene: Scene, options: Given): Promise<string> {
  await create(scene, options)
  return await scene.app.electronApp.evaluate(async (_electron, key) => {
    const result = await globalThis.licensing.activate(key)
    return result.ok ? result.state.status : result.problem.code
  }, scene.emulator.licenseKey)
}

async function useEveryVerb(scene: Scene, options: Given): Promise<void> {
  expect(await activate(scene, options)).toBe('active')
  await scene.app.electronApp.evaluate(async () => {
    await globalThis.licensing.validate()
    await globalThis.licensing.devices()
    await globalThis.licensing.deactivate()
  })
  await expect.poll(() => seats(scene)).toEqual([])
}

const seats = ({ emulator }: Scene) => emulator.control.keys(emulator.demoLicense.id)

/** Lets the app take itself for a packaged one. */
async function pretendPackaged(app: OpenApp): Promise<void> {
  await app.electronApp.evaluate(({ app: electronApp }) => {
    Object.defineProperty(electronApp, 'isPackaged', { value: true, configurable: true })
  })
}

/** The options of an app that has an address, with further options of the service. */
function addressWith({ service: { access }, needs }: Scene, extra: object): Given {
  needs('an address as `service`')
  if (access.kind !== 'address') return {}
  const leaseKeys = access.leaseKeys === null ? {} : { leaseKeys: JSON.parse(access.leaseKeys) }
  return { service: { ...access.service, ...extra }, ...leaseKeys }
}

const headers = { 'x-tenant': 'tenant-secret-0123456789' }
const ownAddress = 'the service’s own address as `service`'

const coversBuilds = '../../core/state/covers-builds-released-before-the-end.test.ts'
const windowTests = '../window/activation-window.e2e.test.ts'

// A new option without a row does not compile.
const effects: Readonly<Record<OptionPath, Effect>> = {
  async appId(scene) {
    // Another app on the same device takes a seat of its own.
    expect(await activate(scene, { appId: 'com.example.one' })).toBe('active')
    const directory = path.join(scene.directory, 'two')
    expect(await activate(scene, { appId: 'com.example.two', directory })).toBe('active')
    expect(seats(scene)).toHaveLength(2)
  },
  async 'service.baseUrl'(scene) {
    expect(await activate(scene, {})).toBe('active')
    expect(scene.emulator.control.requests().length).toBeGreaterThan(0)
  },
  async 'service.accessToken'(scene) {
    scene.needs(ownAddress)
    expect(await activate(scene, addressWith(scene, { accessToken: 'another-token' }))).toBe('unauthorized')
  },
  async 'service.allowAccessTokenInPackagedAppWhereEveryUserCanReadIt'(scene) {
    scene.needs(ownAddress)
    await pretendPackaged(scene.app)
    await expect(create(scene, {})).rejects.toThrow('accessToken')
    const allowed = { allowAccessTokenInPackagedAppWhereEveryUserCanReadIt: true }
    expect(await activate(scene, addressWith(scene, allowed))).toBe('active')
  },
  'service.licenseKeys': '../../../../../examples/activation-app/test/licensing-services.e2e.test.ts',
  async 'service.allowInsecure'(scene) {
    const baseUrl = 'http://licensing.invalid/v1'
    await expect(create(scene, { service: { baseUrl } })).rejects.toThrow('allowInsecure')
    const keys = scene.emulator.face === 'commerce' ? {} : { licenseKeys: 'any' as const }
    expect(await activate(scene, { service: { baseUrl, allowInsecure: true, ...keys } })).toBe('offline')
  },
  async 'service.timeout'(scene) {
    scene.emulator.control.faults.inject({ fault: 'timeout' })
    expect(await activate(scene, addressWith(scene, { timeout: 300 }))).toBe('timeout')
  },
  async 'service.headers'(scene) {
    scene.needs(ownAddress)
    // The report names the device: what is secret in that is masked as well.
    const device = { label: `Desk ${headers['x-tenant']}` }
    await useEveryVerb(scene, { ...addressWith(scene, { headers }), device })
    const requests = scene.emulator.control.requests()
    expect(new Set(requests.map(({ operation }) => operation))).toEqual(
      new Set(['keys', 'key', 'activate', 'validate', 'deactivate']),
    )
    expect(requests.filter((request) => request.headers['x-tenant'] !== headers['x-tenant'])).toEqual([])
    const told = await scene.app.electronApp.evaluate(async () => [
      ...globalThis.logged,
      await globalThis.licensing.diagnose(),
    ])
    expect(told.join('\n')).not.toContain(headers['x-tenant'])
  },
  async leaseKeys(scene) {
    const { service, leaseKeys, requests } = await recordingService(scene.emulator)
    await useEveryVerb(scene, { service: { ...service, headers }, leaseKeys })
    expect(new Set(requests.map(({ verb }) => verb))).toEqual(
      new Set(['keys', 'activate', 'validate', 'deactivate']),
    )
    expect(requests.filter(({ tenant }) => tenant !== headers['x-tenant'])).toEqual([])
    // Without a signature of these keys nothing counts.
    const other = await recordingService(scene.emulator)
    const directory = path.join(scene.directory, 'unsigned')
    expect(await activate(scene, { service: other.service, leaseKeys, directory })).toBe('untrusted-answer')
  },
  async 'offlineActivation.url'(scene) {
    const { service, leaseKeys } = await recordingService(scene.emulator)
    const url = `${service.baseUrl}/offline`
    await create(scene, { service, leaseKeys, offlineActivation: { url } })
    const request = await scene.app.electronApp.evaluate(
      (_electron, key) => globalThis.licensing.createOfflineRequest(key),
      scene.emulator.licenseKey,
    )
    expect(request).toMatchObject({ ok: true, link: expect.stringContaining(`${url}#latchkey-request-1.`) })
  },
  graceDays: 'licensing-options.test.ts',
  renewalGraceDays: 'licensing-options.test.ts',
  renewalNoticeDays: 'licensing-options.test.ts',
  recheckHours: 'licensing-options.test.ts',
  trialDays: 'licensing-options.test.ts',
  expiry: coversBuilds,
  build: coversBuilds,
  features: '../../core/state/grants-what-the-license-includes.test.ts',
  provisioning: '../provisioning.e2e.test.ts',
  async 'device.label'(scene) {
    await activate(scene, { device: { label: 'Front desk' } })
    // Keygen has a field of its own for the fingerprint.
    expect(seats(scene)[0]?.name).toMatch(/^Front desk(?: \[[0-9a-f]{16}\])?$/u)
  },
  async 'device.id'(scene) {
    // The same machine under two IDs is two devices. With the same ID it is one, wherever its data lies, if the service lists
    // devices.
    for (const [id, folder] of [
      ['fleet-1', 'a'],
      ['fleet-1', 'b'],
      ['fleet-2', 'c'],
    ] as const) {
      const directory = path.join(scene.directory, folder)
      expect(await activate(scene, { device: { id }, directory })).toBe('active')
    }
    expect(seats(scene)).toHaveLength(serviceUnderTest.has('the list of devices') ? 2 : 3)
  },
  devices: '../../core/operations/lists-and-releases-devices.test.ts',
  releaseOnQuit: '../quitting.e2e.test.ts',
  async logger(scene) {
    scene.needs(ownAddress)
    const options = addressWith(scene, { accessToken: 'another-token' })
    await activate(scene, { ...options, graceDays: 1, recheckHours: 24 })
    expect((await scene.app.logged()).join('\n')).toMatch(/recheckHours is more than half.*token/su)
  },
  async directory(scene) {
    const directory = path.join(scene.directory, 'elsewhere')
    expect(await activate(scene, { directory })).toBe('active')
    expect(await readdir(directory)).toContain('license.json')
    expect(await readdir(scene.directory)).toEqual(['elsewhere'])
    const own = path.join(scene.app.userDataPath, 'latchkey')
    expect(await readdir(own).catch(() => [])).not.toContain('license.json')
  },
  async storeName(scene) {
    expect(await activate(scene, { storeName: 'second-product' })).toBe('active')
    const written = await readdir(scene.directory)
    expect(written).toContain('second-product.json')
    expect(written).not.toContain('license.json')
  },
  async keychain(scene) {
    const reads = () => scene.app.electronApp.evaluate(() => globalThis.safeStorageReads)
    const before = await reads()
    await useEveryVerb(scene, { keychain: false })
    expect(await activate(scene, { keychain: false })).toBe('active')
    const told = await scene.app.electronApp.evaluate(async () => {
      const report = await globalThis.licensing.diagnose()
      return { storage: globalThis.licensing.state.storage, report }
    })
    expect(told).toMatchObject({ storage: 'plain', report: expect.stringContaining('keychain: turned off') })
    expect(await reads()).toBe(before)
    // With the keychain, the same app reads it, but not before there is something to seal.
    const directory = path.join(scene.directory, 'sealed')
    await create(scene, { directory })
    await scene.app.electronApp.evaluate(() => globalThis.licensing.start())
    expect(await reads()).toBe(before)
    expect(await activate(scene, { directory })).toBe('active')
    expect(await reads()).toBeGreaterThan(before)
  },
  trustedOrigins: 'every-option.e2e.test.ts',
  deepLinkScheme: windowTests,
  'window.title': windowTests,
  'window.logo': '../window/activation-page.test.ts',
  'window.accent': windowTests,
  'window.links': windowTests,
  'window.locale': windowTests,
  'window.strings': windowTests,
  'window.parent': windowTests,
  'window.prefilledText': windowTests,
}

describe('every option of createLicensing does something:', () => {
  for (const [option, effect] of Object.entries(effects)) {
    if (typeof effect === 'string') continue
    test(option, async ({ app, directory, emulator, service, needs }) => {
      await effect({ app, directory, emulator, service, needs })
    })
  }

  test('those that are shown elsewhere', () => {
    const files = Object.values(effects).filter((effect) => typeof effect === 'string')
    for (const file of files) expect(existsSync(path.join(import.meta.dirname, file)), file).toBe(true)
  })
})

test('a page that a server delivers can use licensing if its origin is trusted', async ({ openApp }) => {
  const ask = () => window.latchkey.getState().then(({ status }) => status, String)
  const [trusted, devServer, other] = await Promise.all(
    ['Trusted', 'Dev server', 'Other'].map((title) => startServer(page(`<title>${title}</title>`))),
  )
  const app = await openApp({ env: { ELECTRON_RENDERER_URL: devServer } })
  const answers = async () => {
    const found: string[] = []
    for (const origin of [trusted, devServer, other]) {
      found.push(await (await app.openWindow(String(origin))).evaluate(ask))
    }
    return found
  }
  const refused = expect.stringContaining('refused this window')
  const options = { trustedOrigins: [String(trusted)] }
  await app.createLicensing(options)
  expect(await answers()).toEqual(['unlicensed', 'unlicensed', refused])

  await app.electronApp.evaluate(() => globalThis.startOver())
  await pretendPackaged(app)
  await app.createLicensing({ ...options, service: { baseUrl: 'http://127.0.0.1:9/v1' } })
  expect(await answers()).toEqual(['unlicensed', refused, refused])
})

test('the activation window has developer tools while the app is developed, and none in a packaged app', async ({
  app,
}) => {
  const activationPage = 'https://activation.latchkey.invalid/'
  const service = { baseUrl: 'http://127.0.0.1:9/v1' }
  const open = () =>
    app.electronApp.evaluate(({ BrowserWindow }) =>
      Object.fromEntries(
        BrowserWindow.getAllWindows().map(({ webContents }) => {
          webContents.openDevTools({ mode: 'detach', activate: false })
          return [webContents.getURL(), webContents.isDevToolsOpened()]
        }),
      ),
    )
  await app.createLicensing({ service })
  await app.openActivationWindow()
  await expect.poll(open).toEqual({ [activationPage]: true })

  await app.electronApp.evaluate(() => globalThis.startOver())
  await pretendPackaged(app)
  await app.createLicensing({ service })
  await app.openActivationWindow()
  expect(await open()).toEqual({ [activationPage]: false })
  // Electron opens them in its own time: those of a window that is asked later are open.
  await app.openWindow('about:blank')
  await expect.poll(open).toEqual({ [activationPage]: false, 'about:blank': true })
})
