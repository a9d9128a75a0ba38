import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generateSigningKey } from '@latchkey/gateway'
import { startGatewayServer } from '@latchkey/gateway/node'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import {
  commandsOf,
  outputsOf,
  type PageCommand,
  parseCommand,
  readBlocks,
  withoutChance,
} from '../docs/pages.ts'
import { nodeArguments, runNode } from '../docs/run-in-docs.ts'
import { startGatewayProgram } from '../packages/start-installed-gateway.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import { emulatorForTest, temporaryFolder } from './side-by-side.ts'

const blocks = await readBlocks()
const commands = [...new Set(commandsOf(blocks))]
const outputs = outputsOf(blocks)

/** Commands that other tests run: in the app of the first page, to install packages, and to start the gateway. */
const recipes = ['npm run build', 'npx electron .', 'npx vitest run', 'npx playwright test']
/** Unit tests run the same suite against the emulator. */
const isConformanceRun = (command: string): boolean => command.startsWith('LATCHKEY_CONFORMANCE_')
const isRunElsewhere = (command: string): boolean =>
  recipes.includes(command) ||
  /^(?:npm (?:install|init)|mkdir|chmod 600) /u.test(command) ||
  // One after another, on the page for vendors without a licensing service.
  /^latchkey (?:keys generate|issue|revoke) /u.test(command) ||
  (isConformanceRun(command) && process.env['LATCHKEY_LONG'] !== '1')

/** Runs a command and returns its output. `null` for one that prints nothing to compare. */
type Runner = (command: PageCommand) => Promise<string | null>

/** How to run a command here. `null` if this file can't run it. */
function runnerOf({ env, words }: PageCommand): Runner | null {
  const line = words.join(' ')
  if (line.startsWith('npx pnpm exec vitest ') && Object.keys(env).length > 0) return asksAnotherService
  if (line.startsWith('npx pnpm ')) return isScript
  if (line.startsWith('npx latchkey-emulator')) return startsAndEnds
  if (line.startsWith('npx latchkey-gateway keys ')) return ends
  if (line === 'npx latchkey-gateway --settings gateway.env') return startsGateway
  if (line.startsWith('latchkey ')) return asksTheService
  if (line.startsWith('curl ')) return controlsTheEmulator
  return null
}

test('the pages have commands to run and outputs to compare', () => {
  expect(commands.length).toBeGreaterThan(20)
  expect(outputs.size).toBeGreaterThan(3)
  expect([...outputs.keys()].filter((command) => !commands.includes(command))).toEqual([])
})

// Otherwise mark the block as `sh illustration`, or teach this file to run it.
test.each(commands.filter((command) => !isRunElsewhere(command)))('%s', async (text) => {
  const command = parseCommand(text)
  const run = runnerOf(command)
  expect(run, 'nobody knows how to run it').not.toBeNull()
  const printed = run === null ? null : await run(command)
  const shown = outputs.get(text)
  if (shown !== undefined) expect(withoutChance(printed ?? '')).toBe(withoutChance(shown))
})

/** Scripts of the repository. They are tests or take too long, so only their existence is checked. */
async function isScript({ words }: PageCommand): Promise<null> {
  const [, , first, filtered, script] = words
  const folder = first === '--filter' ? path.join('examples', filtered ?? '') : '.'
  const manifest = await readFile(path.join(repositoryRoot, folder, 'package.json'), 'utf8')
  expect(Object.keys(JSON.parse(manifest).scripts)).toContain(first === '--filter' ? script : first)
  return null
}

async function startsAndEnds({ words }: PageCommand): Promise<string> {
  // Uses a free port and ends. Everything else is as the reader types it.
  const ownWords = words.filter((word, index) => word !== '--port' && words[index - 1] !== '--port')
  const args = nodeArguments([...ownWords, '--port', '0', '--exit-with-parent'])
  const output = await runNode(args, { cwd: repositoryRoot })
  expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+/u)
  return output
}

function ends({ words }: PageCommand): Promise<string> {
  return runNode(nodeArguments(words), { cwd: repositoryRoot })
}

/** Starts the gateway as on a server, with an emulator as the service. */
async function startsGateway({ words }: PageCommand): Promise<null> {
  const { baseUrl, accessToken } = await emulatorForTest()
  const folder = await temporaryFolder()
  const isSettings = (code: string): boolean =>
    code.startsWith('# gateway.env') && code.includes('_UPSTREAM=')
  const shown = blocks.find(({ language, code }) => language === 'ini' && isSettings(code))
  const values: Record<string, string> = {
    LATCHKEY_UPSTREAM: baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken ?? '',
    LATCHKEY_SIGNING_KEY: `'${JSON.stringify(await generateSigningKey())}'`,
  }
  const settings = (shown?.code ?? '').replace(/^([A-Z_]+)=.*$/gmu, (_, name) => `${name}=${values[name]}`)
  await writeFile(path.join(folder, 'gateway.env'), settings, { mode: 0o600 })
  const command = [process.execPath, ...nodeArguments(words)]
  const gateway = await startGatewayProgram(command, { cwd: folder })
  onTestFinished(gateway.stop)
  expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200)
  await gateway.stop()
  if (process.platform !== 'win32') expect(await gateway.ended).toEqual([0, null])
  return null
}

/** Runs the conformance suite with another service. */
async function asksAnotherService({ env, words }: PageCommand): Promise<string> {
  const { baseUrl, accessToken, demoLicense } = await emulatorForTest()
  const values: Record<string, string> = {
    LATCHKEY_CONFORMANCE_URL: baseUrl,
    LATCHKEY_CONFORMANCE_TOKEN: accessToken ?? '',
    LATCHKEY_CONFORMANCE_LICENSE: demoLicense.id,
  }
  expect(Object.keys(env).sort()).toEqual(Object.keys(values).sort())
  const vitest = path.join(repositoryRoot, 'node_modules', 'vitest', 'vitest.mjs')
  const { VITEST: _, ...rest } = process.env
  return runNode([vitest, ...words.slice(4)], { cwd: repositoryRoot, env: { ...rest, ...values } })
}

/** Runs the command-line tool with a license of the emulator instead of the one on the page. */
async function asksTheService({ words }: PageCommand): Promise<string> {
  const emulator = await emulatorForTest()
  const { demoLicense, control, baseUrl, accessToken } = emulator
  const behind = await emulatorForTest()
  const gateway = await startGatewayServer({
    upstream: { baseUrl: behind.baseUrl, accessToken: behind.accessToken ?? '' },
    signing: { keys: [await generateSigningKey()] },
    log: () => {},
    port: 0,
  })
  onTestFinished(() => gateway.close())
  const key = control.addKey(demoLicense.id, 'Studio [0123456789abcdef]')
  const values = new Map([
    ['1f0a2b3c-…', demoLicense.id],
    ['7d6e5f4a-…', key.id],
    ['https://licensing.example.com/v1', `http://127.0.0.1:${gateway.port}/v1`],
  ])
  const args = nodeArguments(words.map((word) => values.get(word) ?? word))
  const { LATCHKEY_ACCESS_TOKEN_FILE: _, ...rest } = process.env
  const env = { ...rest, LATCHKEY_BASE_URL: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken ?? '' }
  const output = await runNode(args, { cwd: await temporaryFolder(), env })
  const requests = [...control.requests(), ...behind.control.requests()]
  // A link is made from what was passed.
  if (words[2] === 'link') expect(output).toContain(`/v1/devices#key=${demoLicense.id}`)
  else expect(requests.length).toBeGreaterThan(0)
  return output
}

async function controlsTheEmulator({ words }: PageCommand): Promise<string> {
  const { origin } = await emulatorForTest()
  const args = words.slice(1).map((word) => word.replace('http://127.0.0.1:4010', origin))
  return (await execa('curl', ['--silent', '--fail', ...args])).stdout
}
