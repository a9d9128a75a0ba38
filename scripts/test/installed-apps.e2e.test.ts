import { expect } from 'vitest'
import { test } from '../e2e/app-test.ts'
import { whenPainted } from '../e2e/when-painted.ts'
import { layouts, makeApp, type PackageManager } from '../packages/installed-apps.ts'
import { useLocalRegistry } from '../packages/local-registry.ts'
import { emulatorForTest } from './side-by-side.ts'

const managers: readonly PackageManager[] = ['npm', 'pnpm', 'yarn']
const every = layouts.flatMap((layout) => managers.map((manager) => ({ layout, manager })))
/** One of each kind is enough for ordinary runs. */
const daily = every.filter(({ layout, manager }) => layout === 'asar' && manager === 'npm')

const registry = useLocalRegistry()

for (const { layout, manager } of process.env['LATCHKEY_LONG'] === '1' ? every : daily) {
  test(`an app laid out as ${layout}, installed by ${manager}, asks for a key and opens`, async ({
    launch,
  }) => {
    const emulator = await emulatorForTest({ accessToken: null })
    const appPath = await makeApp(registry.folder, layout, manager, registry.url)
    const app = await launch({ appPath, env: { LICENSING_URL: emulator.baseUrl } })
    const activation = await app.firstWindow()
    // The first paint is static HTML. A test is faster than a person and would type into it.
    await activation.locator('latchkey-activation[situation]').waitFor()
    await activation.getByLabel('License key').fill(emulator.demoLicense.id)
    await whenPainted(activation)
    const opened = app.electronApp.waitForEvent('window')
    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    const main = await opened

    // Only the app's own preload script can have set this.
    await main.getByText('active', { exact: true }).waitFor()
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  })
}
