import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Emulator } from '@latchkey/emulator'
import { installedCommand } from '@latchkey/scripts/packages/installed-command'
import { nodeRuntime } from '@latchkey/scripts/packages/node-runtime'
import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeLatchkey } from './installed-cli.ts'

describeLatchkey(
  (node) => {
    /** Runs `latchkey` in a line of a shell, where `"$@"` is the command. */
    async function inShell(line: string, emulator: Emulator, words: readonly string[]) {
      const [{ script }, runtime] = [await installedCommand('cli'), await nodeRuntime(node)]
      const child = spawn('sh', ['-c', line, 'sh', runtime, script, ...words], {
        env: {
          LATCHKEY_BASE_URL: emulator.baseUrl,
          LATCHKEY_ACCESS_TOKEN: emulator.accessToken ?? '',
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      const err = await text(child.stderr)
      return { exitCode: await ended, err }
    }

    test.each([
      ['doctor', ['doctor']],
      ['a list as JSON', ['--json', 'customers', 'list']],
      ['an export', ['customers', 'export']],
    ])('names a full disk in one sentence, not with the exit code for no: %s', async (_what, words) => {
      const emulator = await emulatorForTest({ customers: 60 })
      expect(await inShell('"$@" >/dev/full', emulator, words)).toEqual({
        exitCode: 2,
        err: 'latchkey: Standard output cannot be written: the disk is full (ENOSPC).\n',
      })
    })

    test('an export that the disk has no room for says where to continue', async () => {
      const emulator = await emulatorForTest({ customers: 400 })
      const output = path.join(await temporaryFolder(), 'customers.csv')
      const words = ['customers', 'export', '--output', output]
      const stopped = await inShell('ulimit -f 8; exec "$@"', emulator, words)
      expect(stopped.exitCode).toBe(2)
      expect(stopped.err).toMatch(
        /^Stopped before page \d+\. Continue .*\nlatchkey: .* cannot be written: .* \(EFBIG\)\.\n$/u,
      )
    })
  },
  { isSkipped: process.platform !== 'linux' },
)
