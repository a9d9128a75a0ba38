import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { expect } from 'vitest'
import { commandsOf, readBlocks } from '../docs/pages.ts'
import { buildRecipeApp, nodeArguments, runNode, writeRecipeProject } from '../docs/run-in-docs.ts'
import { test } from '../e2e/app-test.ts'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'
import { executableInDistribution } from '../e2e/runtime/electron-runtime.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import { emulatorForTest } from './side-by-side.ts'

const isLongRun = process.env['LATCHKEY_LONG'] === '1'

const blocks = await readBlocks()

/** The environment of a reader: the programs of the docs package, and Electron. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const { executablePath } = electronFromEnvironment()
  const distribution = executablePath.slice(0, -executableInDistribution(process.platform).length)
  // The test runner that is started here must not find the variables of this one.
  const { VITEST: _, NODE_ENV: __, ...rest } = process.env
  return { ...rest, ELECTRON_OVERRIDE_DIST_PATH: distribution, NO_COLOR: '1', CI: '1' }
}

/** Other tests install and start the emulator. */
const runByOtherTests = /^(?:mkdir|npm init|npm install|npx latchkey-emulator)\b/u

/** The files that pages name, and the commands that use them. With `tab`, those of a tab. */
function recipeOf(files: readonly string[], tab: string | null = null) {
  const own = blocks.filter((block) => files.includes(block.page) && block.tab === tab)
  const commands = commandsOf(own).filter((command) => !runByOtherTests.test(command))
  return { files: own.filter(({ fileName }) => fileName !== null), commands }
}

function runCommand(command: string, cwd: string): Promise<string> {
  return runNode(nodeArguments(command.split(' ')), { cwd, env: readersEnvironment() })
}

test('the app of the first page is activated, and its menu opens the license again', async ({ launch }) => {
  const { files, commands } = recipeOf(['docs/start.md'])
  expect(commands).toEqual(['npm run build', 'npx electron .'])
  const appPath = await buildRecipeApp(files)
  const emulator = await emulatorForTest({ accessToken: null })
  const app = await launch({ appPath, env: { NOTES_LICENSE_SERVICE: emulator.baseUrl } })
  const screen = await app.firstWindow()
  await screen.getByLabel('License key').fill(emulator.demoLicense.id)
  expect(await screen.title()).toContain('Notes')
  const opened = app.electronApp.waitForEvent('window', (window) => window.url().endsWith('index.html'))
  await screen.getByRole('button', { name: 'Activate', exact: true }).click()
  const page = await opened
  await expect.poll(() => page.locator('#license').textContent()).toContain('active')
  if (!screen.isClosed()) await screen.waitForEvent('close')

  const again = app.electronApp.waitForEvent('window')
  await app.electronApp.evaluate(({ Menu }) => {
    const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? [])
    items?.find(({ label }) => label === 'License…')?.click()
  })
  const license = await again
  await license.getByRole('button', { name: 'Deactivate this device' }).click()
  await license.getByRole('button', { name: 'Deactivate', exact: true }).waitFor()
  expect(await page.locator('#license').textContent()).toContain('active')
})

// Separate test runs. Those with Playwright start the app six times, so short runs leave them out.
test('the tests for it pass exactly as on their page', async () => {
  const { files } = recipeOf(['docs/start.md', 'docs/testing.md'])
  const { commands } = recipeOf(['docs/testing.md'])
  expect(commands).toEqual(['npx vitest run', 'npm run build', 'npx playwright test'])
  const project = await writeRecipeProject(files)
  for (const command of isLongRun ? commands : commands.slice(0, 1)) {
    const output = await runCommand(command, project)
    if (command.startsWith('npx')) expect(output).toMatch(/\b[1-9]\d* passed/u)
  }
}, 300_000)

// Like the main process of the first page, but without the gate.
const opensAtOnce = `
import path from 'node:path'
import { app, BrowserWindow } from 'electron'
import { licensing } from './licensing.ts'

void app.whenReady().then(async () => {
  await licensing.start()
  const webPreferences = { preload: path.join(app.getAppPath(), 'out/preload.cjs') }
  await new BrowserWindow({ webPreferences }).loadFile('index.html')
})
`

test('the activation window in a page shows the logo with the policy that its page names', async ({
  launch,
}) => {
  const guide = await readFile(path.join(repositoryRoot, 'docs/activation-screen.md'), 'utf8')
  const imagePolicy = /`(img-src [^`]+)`/u.exec(guide)?.[1] ?? ''
  const element = blocks.find(({ fileName }) => fileName === 'own-page.ts')
  const logo = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
  const files = recipeOf(['docs/start.md']).files.map((block) => ({
    ...block,
    code: (block.fileName === 'src/page.ts' ? (element?.code ?? '') : block.code)
      .replace("default-src 'self'", `default-src 'self'; ${imagePolicy}`)
      .replace('appId:', `window: { logo: ${JSON.stringify(logo)} }, appId:`),
  }))
  const app = await launch({ appPath: await buildRecipeApp(files, opensAtOnce) })
  const screen = await app.firstWindow()
  await screen.getByRole('button', { name: 'Activate', exact: true }).waitFor()
  // A policy that blocks an image or a style is an error in the console, which fails the test.
  expect(await screen.locator('svg[part=logo]').count()).toBe(1)
})

// Separate projects: common frameworks and test runners. Short runs try the most common one.
test.for(isLongRun ? ['React', 'Vue', 'Svelte', 'Jest'] : ['React'])(
  'the tests in the tabs for %s run as they stand',
  async (tab) => {
    const { files } = recipeOf(['docs/activation-screen.md', 'docs/testing.md'], tab)
    const project = await writeRecipeProject(files)
    // Otherwise, Jest runs every test below the nearest package.json.
    const command = tab === 'Jest' ? 'npx jest --rootDir .' : 'npx vitest run'
    expect(await runCommand(command, project)).toMatch(/\b[1-9]\d* passed/u)
  },
)

/** An app that had its own check before: it stores a license key and the key that it activated. */
const movesOver = `
import { app } from 'electron'
import { licensing } from './licensing.ts'
import { moveOver } from './move-over.ts'

const old = { licenseKey: process.env['OLD_LICENSE'] ?? '', activationId: process.env['OLD_KEY'] }
app.on('window-all-closed', () => {})
void app.whenReady().then(async () => {
  const state = await moveOver(licensing, old, () => console.log('old record forgotten'))
  console.log('moved over: ' + state.status)
})
`

test.for([
  { seats: 3, isIdStored: true, situation: 'there are seats to spare' },
  { seats: 1, isIdStored: true, situation: 'the old activation holds the only seat' },
  { seats: 1, isIdStored: false, situation: 'the old check stored no id, and no seat is free' },
])(
  'a user of an old check is moved over and asked nothing when $situation',
  async ({ seats, isIdStored }, { launch }) => {
    const { keyNames, old } = await startMigration(movesOver, hostname(), seats)
    const app = await launch({ ...old, env: { ...old.env, ...(!isIdStored && { OLD_KEY: undefined }) } })
    await expect.poll(() => app.output()).toContain('moved over: active')
    expect(app.output()).toContain('old record forgotten')
    expect(app.output()).not.toContain('releaseDevice()')
    expect(keyNames()).toEqual([expect.stringMatching(/ \[[0-9a-f]{16}\]$/u)])
  },
)

/** Writes and builds an app whose user had activated this device, and starts their service. */
async function startMigration(main: string, deviceName: string, seats = 3) {
  const emulator = await emulatorForTest({ accessToken: null })
  const { control, baseUrl } = emulator
  const license = control.createLicense({ activation_limit: seats, keys: [deviceName] })
  const [key] = control.keys(license.id)
  const pages = ['docs/migrating.md', 'docs/start.md']
  const appPath = await buildRecipeApp(
    blocks.filter(({ page }) => pages.includes(page)),
    main,
  )
  const env = { NOTES_LICENSE_SERVICE: baseUrl, OLD_LICENSE: license.id, OLD_KEY: key?.id }
  return {
    emulator,
    keyNames: () => control.keys(license.id).map(({ name }) => name),
    old: { appPath, env },
  }
}

/** The same app with `first-start.ts`. Its old check says yes. */
const firstStart = `
import { app, BrowserWindow } from 'electron'
import { firstStart } from './first-start.ts'
import { licensing } from './licensing.ts'

const old = { licenseKey: process.env['OLD_LICENSE'] ?? '', activationId: process.env['OLD_KEY'] ?? '' }
app.on('window-all-closed', () => {})
void app.whenReady().then(async () => {
  const forget = () => console.log('old record forgotten')
  await firstStart(licensing, old, () => true, forget, async () => {
    await new BrowserWindow().loadURL('about:blank')
    console.log('window opened')
  })
})
`

test('while the service hangs, the old check opens one window, and the move is completed later', async ({
  launch,
}) => {
  const { emulator, keyNames, old } = await startMigration(firstStart, 'studio-mac')
  const windowsIn = (output: string): number => output.split('window opened').length - 1

  emulator.control.faults.inject({ fault: 'timeout' })
  for (const _launch of [1, 2]) {
    emulator.control.clearRequests()
    const hanging = await launch(old)
    await expect.poll(() => windowsIn(hanging.output())).toBe(1)
    // The window didn't wait for an answer, nor for the end of a request.
    expect(emulator.control.requests().filter(({ outcome }) => outcome !== 'pending')).toEqual([])
    expect(hanging.output()).not.toContain('forgotten')
    await hanging.close()
  }

  emulator.control.faults.clear()
  const answered = await launch(old)
  await expect.poll(() => answered.output()).toContain('old record forgotten')
  await expect.poll(() => windowsIn(answered.output())).toBe(1)
  expect(keyNames()).toEqual([expect.stringMatching(/ \[[0-9a-f]{16}\]$/u)])
})
