import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { supportedNodes } from '@latchkey/scripts/packages/node-runtime'
import {
  prepareInstalled,
  type RunningCommand,
  startInstalled,
} from '@latchkey/scripts/packages/start-installed'
import {
  allowConcurrentTests,
  emulatorForTest,
  onTestEnd,
  temporaryFolder,
} from '@latchkey/scripts/test/side-by-side'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type CommandOptions, createCommand } from '../src/command-line.ts'
import { checkDataFolder, readDataFile, writeDataFile } from '../src/data-file.ts'
import { faultNames } from '../src/faults/fault.ts'

const nodes = supportedNodes
// The first test file packs and installs. The others reuse the result.
beforeAll(() => prepareInstalled('emulator'), 180_000)
allowConcurrentTests()

const readySchema = z.object({
  baseUrl: z.string(),
  face: z.string(),
  licenseKey: z.string(),
  settings: z.record(z.string(), z.string()),
  accessToken: z.nullable(z.string()),
  license: z.object({ id: z.string() }),
  page: z.string(),
})
type Started = RunningCommand & { readonly ready: z.infer<typeof readySchema> }

/** Starts `latchkey-emulator` on a free port. It is killed after the test. */
async function launch(node: string, args: readonly string[], input = 'open'): Promise<RunningCommand> {
  const running = await startInstalled({ name: 'emulator', node, args: ['--port', '0', ...args], input })
  onTestEnd(() => void running.process.kill('SIGKILL'))
  return running
}

/** The same, and waits for its line of JSON. */
async function started(node: string, ...args: string[]): Promise<Started> {
  const running = await launch(node, ['--json', ...args])
  await running.says('\n')
  return { ...running, ready: readySchema.parse(JSON.parse(running.out())) }
}

async function stop({ process, ended }: RunningCommand): Promise<void> {
  process.kill('SIGTERM')
  expect((await ended).exitCode).toBe(0)
}

function send({ ready }: Started, route: string, init: RequestInit = {}): Promise<Response> {
  const authorization = ready.accessToken === null ? {} : { authorization: `Bearer ${ready.accessToken}` }
  const headers = { 'content-type': 'application/json', ...authorization, ...init.headers }
  return fetch(`${ready.baseUrl}${route}`, { ...init, headers })
}

async function totalOf(emulator: Started, list: 'customers' | 'discounts'): Promise<number> {
  const schema = z.object({ meta: z.object({ total: z.number() }) })
  return schema.parse(await (await send(emulator, `/${list}`)).json()).meta.total
}

/** Activates a device, so that there is something to save. */
async function activate(emulator: Started, name: string): Promise<void> {
  const body = JSON.stringify({ name })
  const route = `/licenses/${emulator.ready.license.id}/activate`
  expect((await send(emulator, route, { method: 'POST', body })).ok).toBe(true)
}

async function namesIn(file: string): Promise<readonly string[]> {
  const keys = z.array(z.looseObject({ name: z.string() }))
  const schema = z.object({ licenses: z.array(z.looseObject({ keys })) })
  const { licenses } = schema.parse(JSON.parse(await readFile(file, 'utf8')))
  return licenses.flatMap((license) => license.keys.map(({ name }) => name)).toSorted()
}

describe.concurrent.each(nodes)('latchkey-emulator, installed, on Node %s', (node) => {
  test('exits cleanly when its terminal is closed', async () => {
    const emulator = await started(node)
    const out = emulator.out()
    emulator.process.kill('SIGHUP')
    expect(await emulator.ended).toEqual({ exitCode: 0, signal: null, out, err: '' })
  })

  test('--save writes the data at exit, --data starts with it', async () => {
    const file = path.join(await temporaryFolder(), 'data.json')
    const first = await started(node, '--data', file, '--save', '--discounts', '4')
    await activate(first, 'Studio')
    await expect(stat(file)).rejects.toThrow('ENOENT')
    await stop(first)
    expect(await namesIn(file)).toEqual(['Studio'])
    // Without --save the file doesn't change.
    const second = await started(node, '--data', file)
    expect(await totalOf(second, 'discounts')).toBe(4)
    await activate(second, 'Laptop')
    await stop(second)
    expect(await namesIn(file)).toEqual(['Studio'])
    const third = await started(node, '--data', file, '--save')
    await activate(third, 'Tower')
    await stop(third)
    expect(await namesIn(file)).toEqual(['Studio', 'Tower'])
    expect(await readdir(path.dirname(file)), 'nothing else is left behind').toEqual(['data.json'])
  })
})

const newest = nodes.at(-1) ?? ''

describe.concurrent('latchkey-emulator', () => {
  test('starts with the given data, requires the token, and listens on the given address', async () => {
    // On other systems 127.0.0.1 is the only loopback address.
    const host = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
    const given = ['--customers', '7', '--discounts', '3', '--token', 'other', '--host', host]
    const emulator = await started(newest, ...given)
    expect(emulator.ready).toMatchObject({ accessToken: 'other', face: 'commerce' })
    expect([await totalOf(emulator, 'customers'), await totalOf(emulator, 'discounts')]).toEqual([7, 3])
    const refused = await send(emulator, '/discounts', { headers: { authorization: 'Bearer demo' } })
    expect(refused.status).toBe(401)
    await emulator.says('GET /discounts was refused: the header Authorization has another token.')
    const { port, hostname } = new URL(emulator.ready.baseUrl)
    expect(hostname).toBe(host)
    if (host === '127.0.0.1') return
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  })

  test('--face speaks the wire format of that service, and --json prints what its adapter needs', async () => {
    const greeting = await launch(newest, [])
    await greeting.says('license key   4b11e191-a34e-424c-b391-d18776ed66b8   (3 seats)')
    const emulator = await started(newest, '--face', 'polar')
    const { licenseKey, settings, accessToken, face } = emulator.ready
    expect([face, accessToken]).toEqual(['polar', null])
    const body = JSON.stringify({ key: licenseKey, organization_id: settings['organizationId'] })
    const validated = await send(emulator, '/v1/customer-portal/license-keys/validate', {
      method: 'POST',
      body,
    })
    expect(await validated.json()).toMatchObject({ key: licenseKey, status: 'granted' })
  })

  test('exits together with its parent if requested, and saves the data', async () => {
    const file = path.join(await temporaryFolder(), 'data.json')
    const emulator = await started(newest, '--exit-with-parent', '--data', file, '--save', '--customers', '5')
    emulator.process.stdin?.end()
    expect((await emulator.ended).exitCode).toBe(0)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ customers: { seed: 1, count: 5 } })
    const withoutInput = await launch(newest, ['--exit-with-parent'], '')
    expect((await withoutInput.ended).exitCode).toBe(0)
  })

  test('a failed start doesn’t change the file of --save, and says what is wrong', async () => {
    const file = path.join(await temporaryFolder(), 'data.json')
    const saved = await started(newest, '--data', file, '--save')
    const taken = new URL(saved.ready.baseUrl).port
    await writeFile(file, '{ "licenses": [')
    const unreadable = await (await launch(newest, ['--data', file, '--save'])).ended
    const invalid = expect.stringContaining('is not valid JSON.')
    expect(unreadable).toMatchObject({ exitCode: 2, out: '', err: invalid })
    expect(await readFile(file, 'utf8')).toBe('{ "licenses": [')
    const busy = await (await launch(newest, ['--port', taken])).ended
    const inUse = expect.stringContaining(`:${taken}: the port is in use. Choose another one with --port.\n`)
    expect(busy).toMatchObject({ exitCode: 1, out: '', err: inUse })
  })

  test('exits with 1 if the data can’t be saved', async () => {
    const folder = path.join(await temporaryFolder(), 'gone')
    await mkdir(folder)
    const emulator = await started(newest, '--data', path.join(folder, 'data.json'), '--save')
    expect(await readdir(folder), 'nothing is left behind while it runs').toEqual([])
    await rm(folder, { recursive: true })
    emulator.process.kill('SIGTERM')
    const err = expect.stringContaining('Could not save the data')
    expect(await emulator.ended).toMatchObject({ exitCode: 1, err })
  })
})

/** Parses arguments. Returns the options, or what is printed instead. */
function parse(...args: readonly string[]): CommandOptions | string {
  let options: CommandOptions | undefined
  let text = ''
  const write = (part: string): void => {
    text += part
  }
  const command = createCommand((given) => {
    options = given
  })
  command.exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    command.parse(args, { from: 'user' })
  } catch {}
  return options ?? text
}

describe('the arguments', () => {
  test.each([
    [['--port', 'http'], "'http' is invalid. It must be a whole number from 0 to 65535."],
    [['--port', '70000'], "'70000' is invalid. It must be a whole number from 0 to 65535."],
    [['--customers', '1.5'], "'1.5' is invalid. It must be a whole number from 0 to 1000000000."],
    [['--face'], "option '--face <name>' argument missing"],
    [['--face', 'keygn'], 'Allowed choices are commerce, dodo, keygen, lemon-squeezy, polar.'],
    [['--token', ''], "'' is invalid. It is empty."],
    [['--save'], '--save needs the file: pass it with --data.'],
    [['--data', '', '--save'], "'' is invalid. It is empty."],
    [['--verbose'], "unknown option '--verbose'"],
    [['serve'], 'too many arguments'],
  ])('%j are refused', (args, message) => {
    expect(parse(...args)).toContain(message)
  })

  test('have defaults, and are in the table of the README', () => {
    expect(parse()).toMatchObject({ port: 4010, host: '127.0.0.1', seed: 1, customers: 60, discounts: 30 })
    expect(parse('--version')).toMatch(/^\d+\.\d+\.\d+\n$/u)
    const commands = [...readme.matchAll(/^\| `(--[^`]+)`/gmu)].map(([, command = '']) => command)
    for (const command of commands) {
      const isPrinting = ['--help', '--version'].includes(command)
      if (!isPrinting) expect(parse(...command.split(' ')), command).toBeInstanceOf(Object)
    }
    const named = commands.flatMap((command) => command.match(/--[a-z-]+/gu) ?? [])
    const options = createCommand(() => {}).options.map(({ long }) => long)
    expect(new Set(named)).toEqual(new Set([...options, '--help']))
  })
})

const readme = await readFile(path.join(import.meta.dirname, '../README.md'), 'utf8')
const sectionOf = (from: string, to: string): string => readme.slice(readme.indexOf(from), readme.indexOf(to))

test('the README lists exactly the existing faults', () => {
  const rows = sectionOf('## Faults', '## Dialect').matchAll(/^\| (`[^|]+`) /gmu)
  const cells = [...rows].flatMap(([, cell]) => cell?.match(/[a-z-]+/gu) ?? [])
  expect(cells.sort()).toEqual([...faultNames].sort())
})

test('the README has every control method, and each HTTP route answers', async () => {
  const emulator = await emulatorForTest()
  const section = sectionOf('## Control', '## OpenAPI document')
  const rows = [...section.matchAll(/^\| `([a-zA-Z]+(?:\.[a-z]+)?)[(`][^|]*\| (?:`([A-Z]+) ([^`]+)`)?/gmu)]
  const { faults, isListening: _, ...verbs } = emulator.control
  const named = [...Object.keys(verbs), ...Object.keys(faults).map((verb) => `faults.${verb}`)]
  expect(rows.map(([, verb]) => verb).sort()).toEqual(named.sort())
  for (const [, , method, route] of rows) {
    if (method === undefined || route === undefined) continue
    const response = await fetch(`${emulator.origin}/_control${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{ "unknown": true }' }),
    })
    expect(await response.text(), `${method} ${route}`).not.toContain('no such control verb')
  }
})

test('a data file restores licenses, keys and lists, and an unusable one is rejected by the invalid field', async () => {
  const file = path.join(await temporaryFolder(), 'data.json')
  expect(await readDataFile(file)).toBeNull()
  await checkDataFolder(file)
  expect(await readdir(path.dirname(file)), 'nothing is left behind').toEqual([])
  const first = await emulatorForTest({ seed: 3, customers: 7, discounts: 2 })
  first.control.addKey(first.demoLicense.id, 'Laptop')
  first.control.createLicense({ activation_limit: 9, suspended_at: '2026-01-01' })
  const data = first.control.dumpData()
  await writeDataFile(file, data)
  const text = await readFile(file, 'utf8')
  await writeFile(file, `\uFEFF${text}`)
  const second = await emulatorForTest({ seed: (await readDataFile(file)) ?? 0 })
  expect(second.control.dumpData()).toEqual(data)
  expect(second.demoLicense).toMatchObject({ id: first.demoLicense.id, activation_usage: 1 })
  for (const [content, message] of [
    [
      text.replace('"activation_limit": 3', '"activation_limit": "3"'),
      'licenses[0].activation_limit must be',
    ],
    [text.slice(0, 40), 'is not valid JSON.'],
    ['{ "name": "my-app", "version": "1.0.0" }', 'is not a data file: '],
  ] as const) {
    await writeFile(file, content)
    await expect(readDataFile(file)).rejects.toThrow(message)
  }
  const unwritable = /^--save can't write to the folder .*nowhere\. Create it or make it writable/u
  await expect(checkDataFolder('/nowhere/data.json')).rejects.toThrow(unwritable)
})
