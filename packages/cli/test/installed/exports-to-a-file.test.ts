import { chmod, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import { waitUntil } from '@latchkey/scripts/e2e/wait-until'
import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeLatchkey, latchkey, startLatchkey } from './installed-cli.ts'

async function outputFile(): Promise<string> {
  return path.join(await temporaryFolder(), 'customers.csv')
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777
}

describeLatchkey((node) => {
  /** An export that stopped after three pages because its token was refused. */
  async function stoppedExport(emulator: Emulator, output: string): Promise<readonly string[]> {
    const words = ['customers', 'export', '--output', output]
    emulator.control.faults.inject({ fault: 'status', status: 401, operation: 'customers', after: 3 })
    expect(await latchkey(node, emulator, words)).toMatchObject({ exitCode: 4 })
    emulator.control.faults.clear()
    return words
  }

  /** An export that has four pages and waits for the fifth. */
  async function waitingExport() {
    const emulator = await emulatorForTest({ customers: 200 })
    const output = await outputFile()
    const words = ['customers', 'export', '--output', output]
    emulator.control.faults.inject({ fault: 'timeout', operation: 'customers', after: 4 })
    const first = await startLatchkey(node, emulator, words)
    await waitUntil('four pages were sent', () => emulator.control.requests().length > 4 || undefined)
    return { emulator, output, words, first }
  }

  test.skipIf(process.platform === 'win32')(
    'customers’ data is readable by its owner alone, also where a file is replaced',
    async () => {
      const emulator = await emulatorForTest({ customers: 3 })
      const output = await outputFile()
      await latchkey(node, emulator, ['customers', 'export', '--output', output])
      expect(await modeOf(output)).toBe(0o600)
      await chmod(output, 0o644)
      await latchkey(node, emulator, ['customers', 'export', '--output', output, '--overwrite'])
      expect(await modeOf(output)).toBe(0o600)
    },
  )

  test('a file is replaced only with --overwrite', async () => {
    const emulator = await emulatorForTest({ customers: 3 })
    const output = await outputFile()
    await writeFile(output, 'precious'.repeat(1000))
    const words = ['customers', 'export', '--output', output]
    expect(await latchkey(node, emulator, words)).toMatchObject({ exitCode: 2 })
    expect(await readFile(output, 'utf8')).toContain('precious')
    expect(await latchkey(node, emulator, [...words, '--overwrite'])).toMatchObject({ exitCode: 0 })
    const text = await readFile(output, 'utf8')
    expect(text).toMatch(/^id,name,email\n/u)
    expect(text.trimEnd().split('\n')).toHaveLength(4)
  })

  test('a second export to the same file is refused, whatever its options', async () => {
    const { emulator, output, words, first } = await waitingExport()
    for (const option of ['--resume', '--overwrite', '--format=csv']) {
      const { exitCode, err } = await latchkey(node, emulator, [...words, option])
      expect([exitCode, err]).toEqual([
        2,
        expect.stringMatching(/^latchkey: Another export to .* is running \(process \d+ on /u),
      ])
    }
    first.process.kill('SIGINT')
    expect(await first.ended).toMatchObject({ exitCode: 130 })
    emulator.control.faults.clear()
    expect(await latchkey(node, emulator, [...words, '--resume'])).toMatchObject({ exitCode: 0 })
    const whole = await latchkey(node, emulator, ['customers', 'export'])
    expect(await readFile(output, 'utf8')).toBe(whole.out)
    expect(await readdir(path.dirname(output))).toEqual(['customers.csv'])
  })

  test('an export that was killed leaves nothing that keeps the next one from running', async () => {
    const { emulator, output, words, first } = await waitingExport()
    first.process.kill('SIGKILL')
    await first.ended
    emulator.control.faults.clear()
    expect(await latchkey(node, emulator, [...words, '--resume'])).toMatchObject({ exitCode: 0 })
    expect(await readdir(path.dirname(output))).toEqual(['customers.csv'])
  })

  test('--from-page starts at that page, without a heading', async () => {
    const emulator = await emulatorForTest({ customers: 60 })
    const whole = await latchkey(node, emulator, ['customers', 'export'])
    const rest = await latchkey(node, emulator, ['customers', 'export', '--from-page', '2'])
    expect(rest).toMatchObject({ exitCode: 0, err: 'Exported 35 customers.\n' })
    expect(rest.out).toBe(`${whole.out.split('\n').slice(26).join('\n')}`)
  })

  test('an export isn’t resumed from another service', async () => {
    const [one, other] = [await emulatorForTest({ customers: 110 }), await emulatorForTest({ seed: 2 })]
    const output = await outputFile()
    const words = await stoppedExport(one, output)
    const before = await readFile(output, 'utf8')
    const run = await latchkey(node, other, [...words, '--resume'])
    expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining(one.baseUrl) })
    expect(await readFile(output, 'utf8')).toBe(before)
  })

  test('an export of customers isn’t resumed with discounts', async () => {
    const emulator = await emulatorForTest({ customers: 110, discounts: 50 })
    const output = await outputFile()
    await stoppedExport(emulator, output)
    const run = await latchkey(node, emulator, ['discounts', 'export', '--output', output, '--resume'])
    expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining('export of customers') })
  })

  test('an export isn’t resumed if its file has become shorter', async () => {
    const emulator = await emulatorForTest({ customers: 110 })
    const output = await outputFile()
    const words = await stoppedExport(emulator, output)
    await truncate(output, 100)
    const run = await latchkey(node, emulator, [...words, '--resume'])
    expect(run).toMatchObject({ exitCode: 2, err: expect.stringContaining('is shorter than') })
    expect((await stat(output)).size).toBe(100)
  })

  test('a cell that a spreadsheet would execute is written as harmless text', async () => {
    const emulator = await emulatorForTest({ customers: 3 })
    const formula = '=HYPERLINK("http://evil.example","Refund")'
    const fields = { 'data.0.name': formula, 'data.1.name': '@SUM(1)', 'data.2.name': '+1-2' }
    emulator.control.faults.inject({ fault: 'set-fields', fields })
    const { out } = await latchkey(node, emulator, ['customers', 'export'])
    const cells = out
      .split('\n')
      .slice(1, 4)
      .map((row) => row.slice(row.indexOf(',') + 1).replace(/^"/u, ''))
    expect(cells.map((cell) => cell.slice(0, 2))).toEqual(["'=", "'@", "'+"])
  })

  test('exports discounts with the same options', async () => {
    const emulator = await emulatorForTest({ discounts: 30 })
    const { exitCode, out, err } = await latchkey(node, emulator, ['discounts', 'export'])
    expect([exitCode, err]).toEqual([0, 'Exported 30 discounts.\n'])
    expect(out.split('\n')[0]).toMatch(/^id,code,name,status,/u)
    expect(out.trimEnd().split('\n')).toHaveLength(31)
    const ndjson = await latchkey(node, emulator, [
      ...['discounts', 'export', '--format', 'ndjson', '--from-page', '2'],
    ])
    expect(JSON.parse(ndjson.out.split('\n')[0] ?? '')).toHaveProperty('products')
    expect(ndjson.out.trimEnd().split('\n')).toHaveLength(5)
  })

  test('--json reports what an export wrote, and is refused if the export goes to standard output', async () => {
    const emulator = await emulatorForTest({ customers: 3 })
    const output = await outputFile()
    const run = await latchkey(node, emulator, ['--json', 'customers', 'export', '--output', output])
    expect(JSON.parse(run.out)).toEqual({ exported: 3, output })
    const refused = await latchkey(node, emulator, ['--json', 'customers', 'export'])
    expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('--format ndjson') })
  })
})
