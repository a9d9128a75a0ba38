import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { serviceNames } from '@latchkey/services/environment'
import { beforeAll, describe, expect, onTestFinished } from 'vitest'
import { type CodeBlock, parsePage, readMarkdownPages } from '../docs/pages.ts'
import { buildRecipeApp, nodeArguments, runNode } from '../docs/run-in-docs.ts'
import { test } from '../e2e/app-test.ts'
import { clickToClose } from '../e2e/click-to-close.ts'
import { whenPainted } from '../e2e/when-painted.ts'
import { inheritedEnvironment } from '../packages/start-installed.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
// The pages differ in the adapter alone, and its flows have tests of their own.
const startedServices = isLongRun ? serviceNames : serviceNames.slice(0, 1)
if (!isLongRun)
  console.log(`Not started here, but in long runs: the apps of ${serviceNames.slice(1).join(', ')}`)

let blocks: readonly CodeBlock[]
beforeAll(async () => {
  const pages = await readMarkdownPages()
  blocks = pages.map(parsePage).flatMap((page) => page.blocks)
})

/** The TypeScript of a service's page that imports a module. */
function codeWith(service: string, module: string): string {
  const found = blocks.find(
    ({ page, language, code }) =>
      page === `docs/services/${service}.md` && language === 'ts' && code.includes(`'${module}'`),
  )
  if (found === undefined) throw new Error(`The page about ${service} shows no code with ${module}`)
  return found.code
}

/** A folder below `docs`, where imports find what a reader would have installed. */
async function makeFolder(): Promise<string> {
  const scratch = path.join(repositoryRoot, 'docs', 'test-output')
  await mkdir(scratch, { recursive: true })
  const folder = await mkdtemp(path.join(scratch, 'service-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe.each(serviceNames)('the page about %s', (service) => {
  test('calls the adapter as it stands, and gets an answer', async () => {
    const folder = await makeFolder()
    await writeFile(path.join(folder, 'call.mts'), codeWith(service, '@latchkey/emulator'))
    const { exitCode, output } = await runNode(['call.mts'], { cwd: folder })
    expect(exitCode, output).toBe(0)
    expect(output).toContain("kind: 'answer'")
  })

  test('starts a gateway in front of the emulator with the settings it shows', async () => {
    const emulator = await startEmulator({ face: service })
    onTestFinished(() => emulator.close())
    const page = `docs/services/${service}.md`
    const shown = blocks.find((block) => block.page === page && block.code.startsWith('# emulator.env'))
    const code = shown?.code ?? ''
    expect(code).toContain('=http://127.0.0.1:4010\n')
    const folder = await makeFolder()
    const settings = code.replace('http://127.0.0.1:4010', emulator.baseUrl)
    await writeFile(path.join(folder, 'emulator.env'), settings, { mode: 0o600 })
    const baseUrl = await startGateway(folder, ['--settings', 'emulator.env'])

    const doctor = ['latchkey', 'doctor', '--gateway', baseUrl, '--license', emulator.licenseKey]
    const { exitCode, output } = await runNode(nodeArguments(doctor) ?? [], { cwd: folder })
    expect(exitCode, output).toBe(0)
    expect(output).toContain('activate')
  })
})

/** Starts the gateway's program for one test. @returns the base URL of its interface */
async function startGateway(folder: string, options: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, nodeArguments(['npx', 'latchkey-gateway', ...options]) ?? [], {
    cwd: folder,
    env: { ...inheritedEnvironment(), PORT: '0', HOST: '127.0.0.1' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await expect.poll(() => output).toContain('"port"')
  return `http://127.0.0.1:${JSON.parse(output.split('\n')[0] ?? '').port}/v1`
}

describe.each(startedServices)('the app of the page about %s', (service) => {
  test('asks for a license key, and opens its window once it has one', async ({ launch }) => {
    const emulator = await startEmulator({ face: service })
    onTestFinished(() => emulator.close())
    const { baseUrl, settings, licenseKey, control, demoLicense } = emulator
    // As the page says: the emulator's address and settings in place of the reader's own.
    const code = codeWith(service, '@latchkey/electron/main')
    const isMentioned = (name: string): boolean => code.includes(`${name}:`)
    expect(Object.keys(settings).filter((name) => !isMentioned(name))).toEqual([])
    const options = JSON.stringify({ ...settings, baseUrl })
    const licensing = code.replace(/(service: \w+)\(\{.*?\}\)/su, (_all, adapter) => `${adapter}(${options})`)
    expect(licensing).toContain(baseUrl)

    // The other files are those of the first page.
    const files = blocks.filter(({ page }) => page === 'docs/start.md')
    const project = await buildRecipeApp(
      files.map((block) => (block.fileName === 'src/licensing.ts' ? { ...block, code: licensing } : block)),
    )
    onTestFinished(project.remove)

    const app = await launch({ appPath: project.folder })
    const activation = await whenPainted(await app.firstWindow())
    await activation.getByLabel('License key').fill(licenseKey)
    const opened = app.electronApp.waitForEvent('window')
    await activation.getByRole('button', { name: 'Activate', exact: true }).click()
    await clickToClose(activation.getByRole('button', { name: 'Continue' }))
    await (await opened).getByText(/^active /u).waitFor()
    expect(control.keys(demoLicense.id)).toHaveLength(1)
  })
})
