import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { chromium, type Page } from 'playwright'
import { ZipFile } from 'yazl'
import * as z from 'zod/mini'
import { commandsOf, readBlocks } from '../docs/pages.ts'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'
import { executableInDistribution } from '../e2e/runtime/electron-runtime.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import { runTool } from '../workspace/run-tool.ts'
import { madeOnce } from './installed-command.ts'
import type { LocalRegistry } from './local-registry.ts'

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
  { folder, url }: LocalRegistry,
  name: string,
  generator: Generator,
): Promise<string> {
  const app = path.join(folder, name)
  if (generator.tool === 'create-electron') await generateWithVite(folder, name, generator.template)
  else if (generator.tool === 'create-electron-app') await generateWithForge(folder, name, generator.template)
  else await startFromNothing(app, generator.template)
  await writeFile(path.join(app, '.npmrc'), `@latchkey:registry=${url}\n`)
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
  const blocks = await readBlocks(pageFile)
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

/** An app as users get it. */
interface PackagedFiles {
  readonly executable: string
  /** The output of the build. */
  readonly output: string
}

/** What the pages put into the `build` of a `package.json`. */
export interface DocumentedBuild {
  readonly fuses: Readonly<Record<string, boolean>>
  /** What the first page's app needs at run time. The templates have lists of their own. */
  readonly files: readonly string[]
  /** The configuration with which Forge packages the first page's app. */
  readonly forgeConfig: string
}

/**
 * Builds a generated app and packages it into an archive with its fuses set, using the template's own tools.
 *
 * @throws Error with the output of the command that failed.
 */
export async function packageApp(
  app: string,
  generator: Generator,
  documented: DocumentedBuild,
): Promise<PackagedFiles> {
  if (generator.tool === 'create-electron-app') return await packageWithForge(app)
  if (generator.template === 'electron-forge') {
    await writeFile(path.join(app, 'forge.config.ts'), documented.forgeConfig)
    return await packageWithForgeAlone(app)
  }
  return await packageWithBuilder(app, generator, documented)
}

async function packageWithBuilder(
  app: string,
  { template, tool }: Generator,
  { fuses, files }: DocumentedBuild,
): Promise<PackagedFiles> {
  // The Svelte template's own `build` already fails its type check before our changes.
  const build = template === 'svelte-ts' ? ['npx', 'electron-vite', 'build'] : ['npm', 'run', 'build']
  const { stdout, stderr } = await runTool(build, app)
  const electronDist = path.join(app, 'electron')
  await copyElectron(electronDist)
  const settings = {
    ...(tool === 'none' ? {} : { extends: './electron-builder.yml' }),
    electronDist,
    electronVersion: await electronVersionOf(app),
    electronFuses: fuses,
    linux: { executableName: 'app' },
    files: tool === 'none' ? files : ['!electron', '!electron-builder.json'],
  }
  await writeFile(path.join(app, 'electron-builder.json'), JSON.stringify(settings))
  await runTool(['npx', 'electron-builder', '--dir', '--config', 'electron-builder.json'], app)
  const folder = path.join(app, 'dist', 'linux-unpacked')
  return { executable: path.join(folder, 'app'), output: stdout + stderr }
}

async function packageWithForge(app: string): Promise<PackagedFiles> {
  await useOwnElectron(app)
  await runTool(['npm', 'run', 'lint'], app)
  // `make` packages the app first, and fails if its zip can't be made.
  const make = ['npm', 'run', 'make', '--', '--targets', '@electron-forge/maker-zip']
  const { stdout, stderr } = await runTool(make, app)
  const folder = await packagedFolder(path.join(app, 'out'))
  return { executable: path.join(folder, path.basename(app)), output: stdout + stderr }
}

async function packageWithForgeAlone(app: string): Promise<PackagedFiles> {
  await useOwnElectron(app)
  const { stdout, stderr } = await runTool(['npm', 'run', 'build'], app)
  await runTool(['npx', 'electron-forge', 'make'], app)
  const folder = await packagedFolder(path.join(app, 'release'))
  return { executable: path.join(folder, 'Notes'), output: stdout + stderr }
}

async function packagedFolder(result: string): Promise<string> {
  return path.join(result, (await readdir(result)).find((name) => name !== 'make') ?? '')
}

/** Changes Forge's configuration so that it packages the tests' Electron instead of downloading one. */
async function useOwnElectron(app: string): Promise<void> {
  const zips = path.join(app, '..', `${path.basename(app)}-electron`)
  await mkdir(zips)
  await copyElectron(path.join(zips, 'unpacked'))
  const name = `electron-v${await electronVersionOf(app)}-${process.platform}-${process.arch}.zip`
  await zipFolder(path.join(zips, 'unpacked'), path.join(zips, name))
  const config = path.join(app, 'forge.config.ts')
  const setting = `     asar: true,\n+    electronZipDir: ${JSON.stringify(zips)},\n`
  await writeFile(config, applyDiff(await readFile(config, 'utf8'), setting))
}

const versionSchema = z.object({ version: z.string() })

async function electronVersionOf(app: string): Promise<string> {
  const file = path.join(app, 'node_modules', 'electron', 'package.json')
  return versionSchema.parse(JSON.parse(await readFile(file, 'utf8'))).version
}

/** Copies the tests' Electron for a packager, without the app that starts other apps. */
async function copyElectron(target: string): Promise<void> {
  const { executablePath } = electronFromEnvironment()
  const distribution = executablePath.slice(0, -executableInDistribution(process.platform).length)
  const loader = path.join(distribution, 'resources', 'app')
  await cp(distribution, target, { recursive: true, filter: (source) => source !== loader })
}

/** Zips a folder without compression, as Electron Forge needs its Electron. */
async function zipFolder(folder: string, target: string): Promise<void> {
  const zip = new ZipFile()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    zip.addFile(file, path.relative(folder, file).split(path.sep).join('/'), { compress: false })
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(target))
}

/** A running packaged app. */
interface PackagedApp extends AsyncDisposable {
  /** Its windows at this moment. */
  windows(): readonly Page[]
  output(): string
}

/**
 * Starts a packaged app. Its fuses disable Node's inspector, which Playwright needs, so this connects to
 * Chromium's debugger.
 *
 * @throws Error with the app's output if it doesn't start.
 */
export async function startPackaged(executable: string, userDataPath: string): Promise<PackagedApp> {
  const { args } = electronFromEnvironment()
  const switches = ['--remote-debugging-port=0', '--password-store=basic', '--disable-gpu', '--lang=en']
  const child = spawn(executable, [...args, ...switches, `--user-data-dir=${userDataPath}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const ready = waitUntil('the packaged app is ready', () => {
    if (child.exitCode !== null) throw new Error(`The packaged app ended at once:\n${output}`)
    return /DevTools listening on (ws:\S+)/u.exec(output)?.[1]
  })
  // Electron has no browser contexts to which Playwright could apply its defaults.
  const connected = ready.then((address) => chromium.connectOverCDP(address, { noDefaults: true }))
  const browser = await connected.catch(async (error: unknown) => {
    await end()
    throw error
  })

  return {
    windows: () => browser.contexts().flatMap((context) => context.pages()),
    output: () => output,
    [Symbol.asyncDispose]: end,
  }
}

/**
 * Applies a page's `diff` block to a file. Lines that start with `-` or a space must be in the file, consecutively and
 * exactly once; `@@` separates two places.
 *
 * @throws Error with the lines that are missing or not unique.
 */
function applyDiff(text: string, diff: string): string {
  return diff
    .trimEnd()
    .split(/^@@\n/mu)
    .reduce(
      (current, change) => {
        const lines = change.split('\n').filter((line) => line !== '')
        const before = linesWith(lines, '-')
        const after = linesWith(lines, '+')
        const count = current.split(before).length - 1
        if (count !== 1) throw new Error(`These lines are in the file ${count} times, not once:\n${before}`)
        return current.replace(before, () => after)
      },
      text.replaceAll('\r\n', '\n'),
    )
}

function linesWith(lines: readonly string[], sign: '-' | '+'): string {
  return lines
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => `${line.slice(1)}\n`)
    .join('')
}
