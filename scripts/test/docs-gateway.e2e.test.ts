import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { generateSigningKey } from '@latchkey/gateway'
import { serviceNames } from '@latchkey/services/environment'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { readBlocks } from '../docs/pages.ts'
import { nodeArguments, runNode } from '../docs/run-in-docs.ts'
import { installedCommand } from '../packages/installed-command.ts'
import { type InstalledGateway, startGatewayProgram } from '../packages/start-installed-gateway.ts'
import { emulatorForTest, temporaryFolder } from './side-by-side.ts'

const run = promisify(execFile)
const hosting = await readBlocks('docs/hosting-the-gateway.md')
const codeOf = (language: string): string => hosting.find((block) => block.language === language)?.code ?? ''
const unit = codeOf('ini')
const dockerfile = codeOf('dockerfile')

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasSystemd) console.log('There is no systemd-analyze here, so the unit of the page is not verified.')
const isWindows = process.platform === 'win32'

test.skipIf(!hasSystemd)('systemd accepts the unit', async () => {
  const { folder } = await installedCommand('gateway')
  const file = path.join(await temporaryFolder(), 'latchkey-gateway.service')
  await writeFile(file, unit.replaceAll('/opt/latchkey-gateway', folder))
  const { stdout, stderr } = await run('systemd-analyze', ['verify', file])
  expect(`${stdout}${stderr}`).toBe('')
})

test.skipIf(isWindows)('the unit starts the gateway with its settings, and SIGTERM ends it', async () => {
  const credentials = await temporaryFolder()
  const settings = Object.entries(await settingsForTest()).map(([name, value]) => `${name}='${value}'\n`)
  await writeFile(path.join(credentials, 'gateway.env'), settings.join(''), { mode: 0o600 })
  const { folder } = await installedCommand('gateway')
  const command = lineOf(unit, 'ExecStart=').replaceAll('/opt/latchkey-gateway', folder)
  // What systemd starts sees no more of the environment than this.
  const gateway = await start(['sh', '-c', `exec ${command}`], folder, { CREDENTIALS_DIRECTORY: credentials })
  await gateway.stop()
  expect(await gateway.ended).toEqual([0, null])
})

test.skipIf(isWindows)('the image starts the gateway, and knows whether it is healthy', async () => {
  const { folder } = await installedCommand('gateway')
  const gateway = await start(wordsOf('CMD '), folder, await settingsForTest())
  const [program = '', ...args] = wordsOf('HEALTHCHECK CMD ').map((word) =>
    word.replace('8787', new URL(gateway.origin).port),
  )
  await run(program, args)
  await gateway.stop()
  expect(await gateway.ended).toEqual([0, null])
  await expect(run(program, args)).rejects.toMatchObject({ code: 1 })
})

test.each(serviceNames)('the page about %s starts a gateway in front of the emulator', async (face) => {
  const { baseUrl, licenseKey } = await emulatorForTest({ face })
  const shown = await readBlocks(`docs/services/${face}.md`)
  const { code = '' } = shown.find((block) => block.code.startsWith('# emulator.env')) ?? {}
  expect(code).toContain('=http://127.0.0.1:4010\n')
  const folder = await temporaryFolder()
  const settings = code.replace('http://127.0.0.1:4010', baseUrl)
  await writeFile(path.join(folder, 'emulator.env'), settings, { mode: 0o600 })
  const command = nodeArguments(['npx', 'latchkey-gateway', '--settings', 'emulator.env'])
  const gateway = await start([process.execPath, ...command], folder)
  const doctor = ['latchkey', 'doctor', '--gateway', gateway.baseUrl, '--license', licenseKey]
  expect(await runNode(nodeArguments(doctor), { cwd: folder })).toContain('activate')
})

function lineOf(file: string, start: string): string {
  const line = file.split('\n').find((text) => text.startsWith(start))
  if (line === undefined) throw new Error(`The page has no line that starts with ${start}.`)
  return line.slice(start.length)
}

function wordsOf(instruction: string): string[] {
  return z.array(z.string()).parse(JSON.parse(lineOf(dockerfile, instruction)))
}

async function settingsForTest(): Promise<Record<string, string>> {
  const { baseUrl, accessToken } = await emulatorForTest()
  return {
    LATCHKEY_UPSTREAM: baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken ?? '',
    LATCHKEY_SIGNING_KEY: JSON.stringify(await generateSigningKey()),
  }
}

async function start(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<InstalledGateway> {
  const gateway = await startGatewayProgram(command, { cwd, env })
  onTestFinished(gateway.stop)
  return gateway
}
