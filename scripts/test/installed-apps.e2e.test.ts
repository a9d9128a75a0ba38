import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { test } from '../e2e/app-test.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import { layouts, makeApp, type PackageManager } from '../packages/installed-apps.ts'
import { type LocalRegistry, startLocalRegistry } from '../packages/local-registry.ts'
import { packPackages } from '../packages/packed-package.ts'

const managers: readonly PackageManager[] = ['npm', 'pnpm', 'yarn']
const every = layouts.flatMap((layout) => managers.map((manager) => ({ layout, manager })))
/** One of each kind is enough for ordinary runs. */
const daily = every.filter(({ layout, manager }) => layout === 'asar' && manager === 'npm')

let folder: string
let registry: LocalRegistry
let emulator: Emulator

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-installed-'))
  registry = await startLocalRegistry(await packPackages(folder))
})

beforeEach(async () => {
  emulator = await startEmulator()
})

afterEach(() => emulator.close())

afterAll(async () => {
  await registry.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

for (const { layout, manager } of process.env['LATCHKEY_LONG'] === '1' ? every : daily) {
  test(`an app laid out as ${layout}, installed by ${manager}, asks for a key and opens`, async ({
    launch,
  }) => {
    const appPath = await makeApp(folder, layout, manager, registry.url)
    const app = await launch({ appPath, env: { LICENSING_URL: emulator.baseUrl } })
    const activation = await app.firstWindow()
    // The first paint is static HTML. A test is faster than a person and would type into it.
    await activation.locator('latchkey-activation[situation]').waitFor()
    await activation.getByLabel('License key').fill(emulator.demoLicense.id)
    await waitUntil('the activation screen is painted', async () => {
      const paints = await activation.evaluate(
        () => performance.getEntriesByName('first-contentful-paint').length,
      )
      return paints > 0 ? true : undefined
    })
    const opened = app.electronApp.waitForEvent('window')
    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    const main = await opened

    // Only the app's own preload script can have set this.
    await main.getByText('active', { exact: true }).waitFor()
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })
}
