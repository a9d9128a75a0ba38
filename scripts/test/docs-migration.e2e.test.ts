import { hostname } from 'node:os'
import { startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished } from 'vitest'
import { readBlocks } from '../docs/pages.ts'
import { buildRecipeApp } from '../docs/run-in-docs.ts'
import { test } from '../e2e/app-test.ts'

const blocks = await readBlocks('docs/migrating.md', 'docs/start.md')

/** An app that had its own check before: it stores a license key and the key that it activated. */
const main = `
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
    const emulator = await startEmulator()
    onTestFinished(() => emulator.close())
    const license = emulator.control.createLicense({ activation_limit: seats, keys: [hostname()] })
    const [oldKey] = emulator.control.keys(license.id)
    const project = await buildRecipeApp(blocks, main)
    onTestFinished(project.remove)

    const app = await launch({
      appPath: project.folder,
      env: {
        NOTES_LICENSE_SERVICE: emulator.baseUrl,
        OLD_LICENSE: license.id,
        ...(isIdStored && { OLD_KEY: oldKey?.id }),
      },
    })
    await expect.poll(() => app.output()).toContain('moved over: active')
    expect(app.output()).toContain('old record forgotten')
    expect(app.output()).not.toContain('releaseDevice()')
    const names = emulator.control.keys(license.id).map(({ name }) => name)
    expect(names).toEqual([expect.stringMatching(/ \[[0-9a-f]{16}\]$/u)])
  },
)

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
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const license = emulator.control.createLicense({ keys: ['studio-mac'] })
  const [oldKey] = emulator.control.keys(license.id)
  const project = await buildRecipeApp(blocks, firstStart)
  onTestFinished(project.remove)
  const app = {
    appPath: project.folder,
    env: { NOTES_LICENSE_SERVICE: emulator.baseUrl, OLD_LICENSE: license.id, OLD_KEY: oldKey?.id },
  }
  const windowsIn = (output: string): number => output.split('window opened').length - 1

  emulator.control.faults.inject({ fault: 'timeout' })
  for (const _launch of [1, 2]) {
    emulator.control.clearRequests()
    const hanging = await launch(app)
    await expect.poll(() => windowsIn(hanging.output())).toBe(1)
    // The window didn't wait for an answer, nor for the end of a request.
    expect(emulator.control.requests().filter(({ outcome }) => outcome !== 'pending')).toEqual([])
    expect(hanging.output()).not.toContain('forgotten')
    await hanging.close()
  }

  emulator.control.faults.clear()
  const answered = await launch(app)
  await expect.poll(() => answered.output()).toContain('old record forgotten')
  await expect.poll(() => windowsIn(answered.output())).toBe(1)
  const names = emulator.control.keys(license.id).map(({ name }) => name)
  expect(names).toEqual([expect.stringMatching(/ \[[0-9a-f]{16}\]$/u)])
})
