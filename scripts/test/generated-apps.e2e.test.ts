import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { listPackage } from '@electron/asar'
import type { Page } from 'playwright'
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { readBlocks } from '../docs/pages.ts'
import { test } from '../e2e/app-test.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import {
  type DocumentedBuild,
  generateApp,
  generators,
  packageApp,
  startPackaged,
} from '../packages/generated-apps.ts'
import { useLocalRegistry } from '../packages/local-registry.ts'
import { emulatorForTest } from './side-by-side.ts'

// Installing the tool chains takes minutes, so only long runs and `pnpm apps` do it.

const registry = useLocalRegistry()

test.runIf(process.platform === 'linux').for(Object.entries(generators))(
  'the app of %s, changed as its page says and packaged, asks for a key and opens',
  async ([name, generator], { userDataPath }) => {
    const emulator = await emulatorForTest({ accessToken: null })
    const app = await generateApp(registry, name, generator)
    await useService(app, generator.tool, emulator.baseUrl)
    const { executable, output } = await packageApp(app, generator, await documentedBuild())
    expect(output).not.toMatch(/node_modules\/(?:@latchkey|zod)\//u)
    if (generator.tool === 'none') {
      const packaged = listPackage(path.join(path.dirname(executable), 'resources', 'app.asar'), {
        isPack: false,
      })
      expect(packaged.filter((file) => !needed.test(file) && !leftover.test(file))).toEqual([])
    }

    await using running = await startPackaged(executable, userDataPath)
    const activation = await waitUntil(`the activation window opens\n${running.output()}`, () =>
      running.windows().find((page) => page.url() === 'https://activation.latchkey.invalid/'),
    )
    await activation.getByLabel('License key').fill(emulator.demoLicense.id)
    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    await waitUntil(`the app's own page shows the license\n${running.output()}`, async () => {
      const shown = await Promise.all(running.windows().map(showsLicense))
      return shown.includes(true) ? true : undefined
    })
    expect(emulator.control.keys(emulator.demoLicense.id)).toHaveLength(1)
  },
)

/** What the first page's app needs. */
const needed = /^\/(?:out(?:\/.*)?|index\.html|package\.json)$/u
/** Forge leaves out dev dependencies, but not their empty folders and npm's list of them. */
const leftover = /^\/node_modules(?:\/(?:@[\w-]+|\.package-lock\.json))?$/u

/** Whether the app's own page shows the license, in its title or text. */
async function showsLicense(page: Page): Promise<boolean> {
  try {
    if ((await page.title()) === 'Notes (active)') return true
    return (await page.locator('#license', { hasText: /^active / }).count()) > 0
  } catch {
    // The activation window closes meanwhile.
    return false
  }
}

/** Replaces the page's example address with the test's service. */
async function useService(app: string, tool: string, baseUrl: string): Promise<void> {
  const file = path.join(app, tool === 'create-electron' ? 'src/main/licensing.ts' : 'src/licensing.ts')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('https://licensing.example.com/v1', baseUrl))
}

const fusesSchema = z.object({ build: z.object({ electronFuses: z.record(z.string(), z.boolean()) }) })
const filesSchema = z.object({ build: z.object({ files: z.array(z.string()) }) })

/** The settings that the pages about production and packaging recommend. */
async function documentedBuild(): Promise<DocumentedBuild> {
  const blocks = await readBlocks('docs/packaging.md', 'docs/production.md')
  const jsonWith = (word: string): unknown =>
    JSON.parse(blocks.find(({ language, code }) => language === 'json' && code.includes(word))?.code ?? '')
  return {
    fuses: fusesSchema.parse(jsonWith('electronFuses')).build.electronFuses,
    files: filesSchema.parse(jsonWith('"files"')).build.files,
    forgeConfig: blocks.find(({ fileName }) => fileName === 'forge.config.ts')?.code ?? '',
  }
}
