import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  nodesOf,
  prepareInstalled,
  type RunningCommand,
  startInstalled,
} from '@latchkey/scripts/packages/start-installed'
import { allowConcurrentTests, onTestEnd } from '@latchkey/scripts/test/side-by-side'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'

const nodes = await nodesOf('emulator')
// The first test file packs and installs. The others reuse the result.
beforeAll(() => prepareInstalled('emulator'), 180_000)

allowConcurrentTests()

const readySchema = z.object({
  baseUrl: z.string(),
  accessToken: z.nullable(z.string()),
  license: z.object({ id: z.string() }),
  page: z.string(),
})
type Ready = z.infer<typeof readySchema>

/** What `--json` prints besides for Polar. */
const polarSchema = z.object({
  face: z.literal('polar'),
  licenseKey: z.string(),
  settings: z.object({ organizationId: z.string() }),
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-emulator-'))
  onTestEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts `latchkey-emulator` and waits for its line of JSON. It is killed after the test. */
async function started(node: string, ...args: string[]): Promise<RunningCommand & { ready: Ready }> {
  const running = await launch(node, '--json', ...args)
  await running.says('\n')
  return { ...running, ready: readySchema.parse(JSON.parse(running.out())) }
}

async function launch(node: string, ...args: string[]): Promise<RunningCommand> {
  const running = await startInstalled({
    name: 'emulator',
    node,
    args: ['--port', '0', ...args],
    input: 'open',
  })
  onTestEnd(() => void running.process.kill('SIGKILL'))
  return running
}

async function totalOf({ ready }: { ready: Ready }, list: 'customers' | 'discounts'): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    ...(ready.accessToken !== null && { authorization: `Bearer ${ready.accessToken}` }),
  }
  const response = await fetch(`${ready.baseUrl}/${list}`, { headers })
  expect(response.status).toBe(200)
  return z.object({ meta: z.object({ total: z.number() }) }).parse(await response.json()).meta.total
}

/** Activates a device, so that there is something to save. */
async function activate({ ready }: { ready: Ready }, name: string): Promise<void> {
  const response = await fetch(`${ready.baseUrl}/licenses/${ready.license.id}/activate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ready.accessToken}` },
    body: JSON.stringify({ name }),
  })
  expect(response.ok).toBe(true)
}

async function namesIn(file: string): Promise<readonly string[]> {
  const schema = z.object({
    licenses: z.array(z.looseObject({ keys: z.array(z.looseObject({ name: z.string() })) })),
  })
  const { licenses } = schema.parse(JSON.parse(await readFile(file, 'utf8')))
  return licenses.flatMap(({ keys }) => keys.map(({ name }) => name))
}

describe.concurrent.each(nodes)('latchkey-emulator, installed, on Node %s', (node) => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'exits cleanly on %s and prints nothing more',
    async (signal) => {
      const emulator = await started(node)
      const out = emulator.out()
      emulator.process.kill(signal)
      expect(await emulator.ended).toEqual({ exitCode: 0, signal: null, out, err: '' })
    },
  )

  test('--customers and --discounts set how many there are, --token is required to read them', async () => {
    const emulator = await started(node, '--customers', '7', '--discounts', '3', '--token', 'other')
    expect(emulator.ready.accessToken).toBe('other')
    expect([await totalOf(emulator, 'customers'), await totalOf(emulator, 'discounts')]).toEqual([7, 3])
    const refused = await fetch(`${emulator.ready.baseUrl}/discounts`, {
      headers: { 'content-type': 'application/json', authorization: 'Bearer demo' },
    })
    expect(refused.status).toBe(401)
  })

  test('--face speaks the wire format of that service, and --json prints what its adapter needs', async () => {
    const emulator = await started(node, '--face', 'polar')
    const { licenseKey, settings } = polarSchema.parse(JSON.parse(emulator.out()))
    const response = await fetch(`${emulator.ready.baseUrl}/v1/customer-portal/license-keys/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: licenseKey, organization_id: settings.organizationId }),
    })
    expect(await response.json()).toMatchObject({ key: licenseKey, status: 'granted' })
  })

  test('--no-token requires no token', async () => {
    const emulator = await started(node, '--no-token', '--customers', '2')
    expect(emulator.ready.accessToken).toBeNull()
    expect(await totalOf(emulator, 'customers')).toBe(2)
  })

  // On other systems 127.0.0.1 is the only loopback address.
  test.skipIf(process.platform !== 'linux')('--host listens on that address alone', async () => {
    const emulator = await started(node, '--host', '127.0.0.2', '--customers', '1')
    const { port, hostname } = new URL(emulator.ready.baseUrl)
    expect([hostname, await totalOf(emulator, 'customers')]).toEqual(['127.0.0.2', 1])
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
  })

  test('--save writes the data at exit, --data starts with it', async () => {
    const file = path.join(await temporaryFolder(), 'data.json')
    const first = await started(node, '--data', file, '--save', '--discounts', '4')
    await activate(first, 'Studio')
    await expect(stat(file)).rejects.toThrow('ENOENT')
    first.process.kill('SIGTERM')
    expect((await first.ended).exitCode).toBe(0)
    expect(await namesIn(file)).toEqual(['Studio'])

    // Without --save the file doesn't change.
    const second = await started(node, '--data', file)
    expect(await totalOf(second, 'discounts')).toBe(4)
    await activate(second, 'Laptop')
    second.process.kill('SIGTERM')
    await second.ended
    expect(await namesIn(file)).toEqual(['Studio'])

    const third = await started(node, '--data', file, '--save')
    await activate(third, 'Tower')
    third.process.kill('SIGINT')
    expect((await third.ended).exitCode).toBe(0)
    expect((await namesIn(file)).toSorted()).toEqual(['Studio', 'Tower'])
    expect(await readdir(path.dirname(file)), 'nothing else is left behind').toEqual(['data.json'])
  })

  test.each([
    ['a file that is not JSON', '{ "licenses": [', [], 2],
    ['a file of something else', '{ "name": "my-app", "version": "1.0.0" }', [], 2],
    ['a wrong argument', '{ "precious": true }', ['--face', 'latin'], 2],
    ['an address that is not this machine’s', null, ['--host', '192.0.2.1'], 1],
    ['a port that is taken', null, ['--port', 'TAKEN'], 1],
  ])('a failed start doesn’t change the file of --save: %s', async (_, content, args, exitCode) => {
    const file = path.join(await temporaryFolder(), 'data.json')
    await writeFile(file, content ?? (await savedData(node)))
    const before = await readFile(file, 'utf8')
    const taken = createServer().listen(0, '127.0.0.1')
    onTestEnd(() => void taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const words = args.map((word) => (word === 'TAKEN' ? port : word))
    const run = await (await launch(node, '--data', file, '--save', ...words)).ended
    expect(run).toMatchObject({ exitCode, out: '', err: expect.stringMatching(/\S/u) })
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  test('exits with 1 if the data can’t be saved', async () => {
    const folder = path.join(await temporaryFolder(), 'gone')
    await mkdir(folder)
    const emulator = await started(node, '--data', path.join(folder, 'data.json'), '--save')
    expect(await readdir(folder), 'nothing is left behind while it runs').toEqual([])
    await rm(folder, { recursive: true })
    emulator.process.kill('SIGTERM')
    expect(await emulator.ended).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('Could not save the data'),
    })
  })
})

let saved: Promise<string> | undefined

/** The content of a data file, created once for all tests. */
async function savedData(node: string): Promise<string> {
  saved ??= makeData(node)
  return await saved
}

async function makeData(node: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'data.json')
  const emulator = await started(node, '--data', file, '--save')
  emulator.process.kill('SIGTERM')
  await emulator.ended
  return await readFile(file, 'utf8')
}
