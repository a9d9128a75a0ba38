import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeLatchkey, latchkey } from './installed-cli.ts'

async function outputFile(): Promise<string> {
  return path.join(await temporaryFolder(), 'customers.csv')
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777
}

describeLatchkey((node) => {
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

  test('--from-page starts at that page, without a heading', async () => {
    const emulator = await emulatorForTest({ customers: 60 })
    const whole = await latchkey(node, emulator, ['customers', 'export'])
    const rest = await latchkey(node, emulator, ['customers', 'export', '--from-page', '2'])
    expect(rest).toMatchObject({ exitCode: 0, err: 'Exported 35 customers.\n' })
    expect(rest.out).toBe(`${whole.out.split('\n').slice(26).join('\n')}`)
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
