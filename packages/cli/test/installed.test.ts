import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Emulator } from '@latchkey/emulator'
import { waitUntil } from '@latchkey/scripts/e2e/wait-until'
import { installedCommand } from '@latchkey/scripts/packages/installed-command'
import { nodeRuntime, supportedNodes } from '@latchkey/scripts/packages/node-runtime'
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
import { repositoryRoot } from '@latchkey/scripts/workspace/repository'
import { beforeAll, describe, expect, test } from 'vitest'

// What only the installed command can show: its start, exit codes, streams, signals and the system's errors.

const nodes = supportedNodes
// A command mostly waits for its own start or for the service.
allowConcurrentTests()
// The first test file packs and installs. The others reuse the result.
beforeAll(() => prepareInstalled('cli'), 180_000)

describe.concurrent.each(nodes)('latchkey, installed, on Node %s', (node) => {
  /** Starts the command with an emulator. It is killed after the test. */
  async function start(
    { baseUrl, accessToken }: Pick<Emulator, 'baseUrl' | 'accessToken'>,
    args: readonly string[],
    { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
  ): Promise<RunningCommand> {
    const settings = { LATCHKEY_BASE_URL: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken ?? '', ...env }
    const running = await startInstalled({ name: 'cli', node, args, env: settings, input })
    onTestEnd(() => void running.process.kill('SIGKILL'))
    return running
  }

  test('prints its version on standard output', async () => {
    const emulator = await emulatorForTest()
    const manifest = await readFile(path.join(repositoryRoot, 'packages/cli/package.json'), 'utf8')
    const out = `${JSON.parse(manifest).version}\n`
    const printed = await (await start(emulator, ['--version'])).ended
    expect(printed).toEqual({ exitCode: 0, signal: null, out, err: '' })
  })

  test.each([
    [1, ['license', 'check', '-'], {}],
    [4, ['devices', 'list', '-'], { LATCHKEY_ACCESS_TOKEN: 'wrong-token' }],
  ])('exits with %i: %j', async (exitCode, words, env) => {
    const emulator = await emulatorForTest()
    const input = `Hello, my key is ${emulator.licenseKey}. Thanks!`
    const run = await (await start(emulator, words, { env, input })).ended
    expect(run.exitCode, run.err).toBe(exitCode)
    // The result goes to standard output, everything else to standard error.
    expect([run.out !== '', run.err !== '']).toEqual(exitCode < 2 ? [true, false] : [false, true])
  })

  // Windows has no signals to send.
  describe.skipIf(process.platform === 'win32')('stops when it is told to', () => {
    test('at the first SIGTERM while it reads its input', async () => {
      const running = await start(await emulatorForTest(), ['devices', 'list', '-'], { input: 'open' })
      // The input is larger than the pipe, so once it is written the command is reading.
      await new Promise<void>((resolve) => {
        running.process.stdin?.write(' '.repeat(1_000_000), () => resolve())
      })
      running.process.kill('SIGTERM')
      const err = 'latchkey: Interrupted.\n'
      expect(await running.ended).toEqual({ exitCode: 130, signal: null, out: '', err })
    })

    test('at the first SIGINT after a complete page of an export', async () => {
      const emulator = await emulatorForTest({ customers: 200 })
      const output = path.join(await temporaryFolder(), 'customers.ndjson')
      emulator.control.faults.inject({ fault: 'timeout', operation: 'customers', after: 4 })
      const running = await start(emulator, ['customers', 'export', '--output', output])
      await waitUntil('four pages were sent', () => emulator.control.requests().length > 4 || undefined)
      running.process.kill('SIGINT')
      const stopped = await running.ended
      expect(stopped).toMatchObject({ exitCode: 130, out: '' })
      const [, page] = /^Stopped before page (\d+)\. .*\nlatchkey: Interrupted\.$/mu.exec(stopped.err) ?? []
      const lines = (await readFile(output, 'utf8')).trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line).id)).toHaveLength((Number(page) - 1) * 25)
    })

    test('without an error if the reader closes the pipe early, as head does', async () => {
      const emulator = await emulatorForTest({ customers: 5000 })
      const running = await start(emulator, ['customers', 'export'])
      // Otherwise nothing but the heading may have been written.
      await waitUntil('a page was written', () => running.out().split('\n').length > 60 || undefined)
      running.process.stdout?.destroy()
      expect(await running.ended).toMatchObject({ exitCode: 0, err: '' })
      expect(emulator.control.requests().length).toBeLessThan(200)
    })
  })

  describe.skipIf(process.platform !== 'linux')('names a full disk', () => {
    /** Runs `latchkey` in a line of a shell, where `"$@"` is the command. */
    async function inShell(line: string, words: readonly string[]) {
      const { baseUrl, accessToken } = await emulatorForTest({ customers: 400 })
      const [{ script }, runtime] = [await installedCommand('cli'), await nodeRuntime(node)]
      const child = spawn('sh', ['-c', line, 'sh', runtime, script, ...words], {
        env: { LATCHKEY_BASE_URL: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken ?? '' },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      const err = await text(child.stderr)
      return { exitCode: await ended, err }
    }

    test('in one sentence, not with the exit code for no', async () => {
      expect(await inShell('"$@" >/dev/full', ['doctor'])).toEqual({
        exitCode: 2,
        err: 'latchkey: Standard output cannot be written: no space left on device (ENOSPC).\n',
      })
    })

    test('and says where to continue an export', async () => {
      const output = path.join(await temporaryFolder(), 'customers.csv')
      const stopped = await inShell('ulimit -f 8; exec "$@"', ['customers', 'export', '--output', output])
      expect(stopped.exitCode).toBe(2)
      expect(stopped.err).toMatch(
        /^Stopped before page \d+\. Continue .*\nlatchkey: .* cannot be written: .* \(EFBIG\)\.\n$/u,
      )
    })
  })

  // Older releases of Node don't use the proxy.
  test.skipIf(node !== nodes.at(-1))('names a proxy for outgoing requests that refuses them', async () => {
    const server = createServer().on('connect', (_request, socket) => {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    })
    onTestEnd(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const proxy = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const service = { baseUrl: 'https://commerce.invalid/v1', accessToken: 'secret' }
    const env = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy }
    const { exitCode, out } = await (await start(service, ['doctor'], { env })).ended
    expect(exitCode).toBe(1)
    expect(out).toContain('the proxy for outgoing requests doesn’t let this one through')
  })
})
