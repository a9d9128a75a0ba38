import { startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished } from 'vitest'
import { readMarkdownPages } from '../docs/markdown-pages.ts'
import { parsePage } from '../docs/parse-page.ts'
import { buildRecipeApp } from '../docs/recipe-project.ts'
import { test } from '../e2e/app-test.ts'

const pages = (await readMarkdownPages()).filter(({ file }) =>
  ['docs/start.md', 'docs/migrating.md'].includes(file),
)
const blocks = pages.map(parsePage).flatMap((page) => page.blocks)

/** An app that had its own check before: it stores a license key and the key that it activated. */
const main = `
import { app } from 'electron'
import { licensing } from './licensing.ts'
import { moveOver } from './move-over.ts'

const old = { licenseKey: process.env['OLD_LICENSE'] ?? '', keyId: process.env['OLD_KEY'] ?? '' }
app.on('window-all-closed', () => {})
void app.whenReady().then(async () => {
  const state = await moveOver(licensing, old, () => console.log('old record forgotten'))
  console.log('moved over: ' + state.status)
})
`

test.for([
  { seats: 3, situation: 'there are seats to spare' },
  { seats: 1, situation: 'the old activation holds the only seat' },
])(
  'a user of an old check is moved over and asked nothing when $situation',
  async ({ seats }, { launch }) => {
    const emulator = await startEmulator({ accessToken: null })
    onTestFinished(() => emulator.close())
    const license = emulator.control.createLicense({ activation_limit: seats, keys: ['studio-mac'] })
    const [oldKey] = emulator.control.keys(license.id)
    const project = await buildRecipeApp(blocks, main)
    onTestFinished(project.remove)

    const app = await launch({
      appPath: project.folder,
      env: { NOTES_LICENSE_SERVICE: emulator.baseUrl, OLD_LICENSE: license.id, OLD_KEY: oldKey?.id },
    })
    await expect.poll(() => app.output(), { timeout: 20_000 }).toContain('moved over: active')
    expect(app.output()).toContain('old record forgotten')
    const names = emulator.control.keys(license.id).map(({ name }) => name)
    expect(names).toEqual([expect.stringMatching(/ \[[0-9a-f]{16}\]$/u)])
  },
)
