import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { applyDiff } from '../docs/apply-diff.ts'
import { readMarkdownPages } from '../docs/markdown-pages.ts'
import { commandsOf } from '../docs/page-commands.ts'
import { parsePage } from '../docs/parse-page.ts'
import { madeOnce } from './made-once.ts'
import { runTool } from './run-tool.ts'

/** A generator's template, and the page that describes how to add Latchkey to it. */
export interface Generator {
  readonly page: string
  /** The template's name, or the packager of an app that starts with an empty folder. */
  readonly template: string
  /** What generates the app; `none` starts with an empty folder. */
  readonly tool: 'create-electron' | 'create-electron-app' | 'none'
}

/** Every template that one of our pages starts with, and the app that the first page builds from an empty folder. */
export const generators: Readonly<Record<string, Generator>> = {
  'electron-vite-react': electronVite('react-ts'),
  'electron-vite-vue': electronVite('vue-ts'),
  'electron-vite-svelte': electronVite('svelte-ts'),
  'forge-template-vite': {
    page: 'docs/tool-chains/forge-vite.md',
    tool: 'create-electron-app',
    template: 'vite-typescript',
  },
  'forge-template-webpack': {
    page: 'docs/tool-chains/forge-webpack.md',
    tool: 'create-electron-app',
    template: 'webpack-typescript',
  },
  'first-page': { page: 'docs/start.md', tool: 'none', template: 'electron-builder' },
  'first-page-forge': { page: 'docs/start.md', tool: 'none', template: 'electron-forge' },
}

function electronVite(template: string): Generator {
  return { page: 'docs/tool-chains/electron-vite.md', tool: 'create-electron', template }
}

/**
 * Generates an app with the newest version of its generator, and changes it as the page says.
 *
 * @returns the app's folder, installed but not built.
 * @throws Error that says which step of the page no longer fits the template.
 */
export async function generateApp(
  folder: string,
  name: string,
  generator: Generator,
  registryUrl: string,
): Promise<string> {
  const app = path.join(folder, name)
  if (generator.tool === 'create-electron') await generateWithVite(folder, name, generator.template)
  else if (generator.tool === 'create-electron-app') await generateWithForge(folder, name, generator.template)
  else await startFromNothing(app, generator.template)
  await writeFile(path.join(app, '.npmrc'), `@latchkey:registry=${registryUrl}\n`)
  await followPage(app, generator.page)
  return app
}

async function generateWithVite(folder: string, name: string, template: string): Promise<void> {
  const create = ['npm', 'create', '--yes', '@quick-start/electron@latest', name]
  await runTool([...create, '--', '--template', template, '--skip'], folder)
  await runTool([...install], path.join(folder, name))
}

async function startFromNothing(app: string, packager: string): Promise<void> {
  await mkdir(app)
  await runTool(['npm', 'init', '--yes'], app)
  const forge = ['@electron-forge/cli', '@electron-forge/maker-zip']
  const packages = packager === 'electron-forge' ? forge : ['electron-builder']
  await runTool([...install, '--save-dev', ...packages], app)
}

// The packages' scripts would download an Electron. The tests use their own.
const install = ['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'] as const

/** Forge's own dependency is on GitHub, which a build machine may not reach. This is where its fork comes from. */
const overrides = { '@electron/node-gyp': 'npm:node-gyp@^11.2.0' }

async function generateWithForge(folder: string, name: string, template: string): Promise<void> {
  const tool = await forgeGenerator()
  const script = path.join(tool, 'node_modules', 'create-electron-app', 'dist', 'index.js')
  const command = [process.execPath, script, name, `--template=${template}`, '--skip-git']
  await runTool(command, folder, { PATH: [path.join(tool, 'bin'), process.env['PATH']].join(path.delimiter) })
}

/** The generator, and an `npm` for it that applies {@link overrides}. Installed once a day, to be the newest. */
async function forgeGenerator(): Promise<string> {
  const today = new Date().toISOString().slice(0, 10)
  return await madeOnce(`forge-generator-${today}`, async (folder) => {
    await writeFile(path.join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
    await runTool([...install, 'create-electron-app@latest'], folder)
    await writeNpm(path.join(folder, 'bin'))
  })
}

async function writeNpm(folder: string): Promise<void> {
  await mkdir(folder)
  const addOverrides = `
    const { existsSync, readFileSync, writeFileSync } = require('node:fs')
    if (existsSync('package.json')) {
      const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
      writeFileSync('package.json', JSON.stringify({ ...manifest, overrides: ${JSON.stringify(overrides)} }, null, 2))
    }`
  await writeFile(path.join(folder, 'add-overrides.cjs'), addOverrides)
  const own = '"$(dirname "$0")"'
  const next = `PATH="$(echo "$PATH" | sed "s|^$(dirname "$0"):||")"`
  const script = `#!/bin/sh\nnode ${own}/add-overrides.cjs\n${next} npm_config_ignore_scripts=true exec npm "$@"\n`
  await writeFile(path.join(folder, 'npm'), script, { mode: 0o755 })
}

/** Installs what the page installs, writes its files and applies its changes. */
async function followPage(app: string, pageFile: string): Promise<void> {
  const page = (await readMarkdownPages()).find(({ file }) => file === pageFile)
  if (page === undefined) throw new Error(`There is no page ${pageFile}.`)
  const { blocks } = parsePage(page)
  for (const command of commandsOf(blocks)) {
    const [npm, verb, ...args] = command.split(' ')
    if (npm !== 'npm' || verb !== 'install') continue
    await runTool([...install, ...args], app)
  }
  for (const { fileName, language, code } of blocks) {
    if (fileName === null || fileName === 'electron.vite.config.ts') continue
    const file = path.join(app, fileName)
    await mkdir(path.dirname(file), { recursive: true })
    if (language === 'diff') await writeFile(file, await changed(file, code, pageFile))
    else await writeFile(file, fileName === 'package.json' ? await withDependencies(file, code) : code)
  }
}

/** The first page's manifest, with the `devDependencies` that it says to keep. */
async function withDependencies(file: string, shown: string): Promise<string> {
  const { devDependencies } = manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  return JSON.stringify({ ...manifestSchema.parse(JSON.parse(shown)), devDependencies })
}

const manifestSchema = z.looseObject({ devDependencies: z.optional(z.record(z.string(), z.string())) })

async function changed(file: string, diff: string, pageFile: string): Promise<string> {
  try {
    return applyDiff(await readFile(file, 'utf8'), diff)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${pageFile} no longer fits ${path.basename(file)} of the template. ${reason}`)
  }
}
