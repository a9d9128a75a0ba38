import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { waitUntil } from '@latchkey/scripts/e2e/wait-until'
import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeLatchkey, startLatchkey } from './installed-cli.ts'

describeLatchkey(
  (node) => {
    test.each(['SIGINT', 'SIGTERM'] as const)(
      'a command that waits for standard input ends at the first %s',
      async (signal) => {
        const emulator = await emulatorForTest()
        const running = await startLatchkey(node, emulator, ['keys', 'list', '-'], { input: 'open' })
        // The input is larger than the pipe, so once it is written the command is reading.
        const taken = new Promise<void>((resolve) => {
          running.process.stdin?.write(' '.repeat(1_000_000), () => resolve())
        })
        await taken
        running.process.kill(signal)
        expect(await running.ended).toEqual({
          exitCode: 130,
          signal: null,
          out: '',
          err: 'latchkey: Interrupted.\n',
        })
      },
    )

    test('Ctrl-C ends an export after a complete page', async () => {
      const emulator = await emulatorForTest({ customers: 200 })
      const output = path.join(await temporaryFolder(), 'customers.ndjson')
      const words = ['customers', 'export', '--format', 'ndjson', '--output', output]
      emulator.control.faults.inject({ fault: 'timeout', operation: 'customers', after: 4 })
      const running = await startLatchkey(node, emulator, words)
      await waitUntil('four pages were sent', () =>
        emulator.control.requests().length > 4 ? true : undefined,
      )
      running.process.kill('SIGINT')
      const stopped = await running.ended
      expect(stopped).toMatchObject({ exitCode: 130, out: '' })
      const [, page] = /^Stopped before page (\d+)\. .*\nlatchkey: Interrupted\.$/mu.exec(stopped.err) ?? []
      const lines = (await readFile(output, 'utf8')).trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line).id)).toHaveLength((Number(page) - 1) * 25)
    })

    test('a reader that closes the pipe early, such as head, isn’t a failure', async () => {
      const emulator = await emulatorForTest({ customers: 5000 })
      const running = await startLatchkey(node, emulator, ['customers', 'export'])
      // Otherwise nothing but the heading may have been written.
      await waitUntil('a page was written', () => running.out().split('\n').length > 60 || undefined)
      running.process.stdout?.destroy()
      expect(await running.ended).toMatchObject({ exitCode: 0, err: '' })
      expect(emulator.control.requests().length).toBeLessThan(200)
    })
  },
  // Windows has no signals to send.
  { isSkipped: process.platform === 'win32' },
)
