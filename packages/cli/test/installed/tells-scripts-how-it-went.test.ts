import { chmod, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from '@latchkey/scripts/workspace/repository'
import { expect, test } from 'vitest'
import { emulatorForTest } from '../run-cli.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { describeLatchkey, latchkey } from './installed-cli.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

describeLatchkey((node) => {
  test('prints its version and its help on standard output', async () => {
    const emulator = await emulatorForTest()
    const manifest = await readFile(path.join(repositoryRoot, 'packages/cli/package.json'), 'utf8')
    expect(await latchkey(node, emulator, ['--version'])).toEqual({
      exitCode: 0,
      signal: null,
      out: `${JSON.parse(manifest).version}\n`,
      err: '',
    })
    const help = await latchkey(node, emulator, ['--help'])
    expect(help).toMatchObject({ exitCode: 0, err: '', out: expect.stringContaining('Usage: latchkey') })
  })

  test('results go to standard output, everything else to standard error', async () => {
    const emulator = await emulatorForTest({ customers: 30 })
    const { exitCode, out, err } = await latchkey(node, emulator, ['customers', 'list'])
    expect([exitCode, err]).toEqual([0, 'Page 1 of 2, 30 customers.\n'])
    expect(out.trimEnd().split('\n')).toHaveLength(26)
    expect(out).toMatch(/^NAME\s+EMAIL\s+ID\n/u)
  })

  test('--json prints one document and nothing else', async () => {
    const emulator = await emulatorForTest({ customers: 3 })
    const { exitCode, out, err } = await latchkey(node, emulator, ['customers', 'list', '--json'])
    expect([exitCode, err, JSON.parse(out).data.length]).toEqual([0, '', 3])
  })

  test.each([
    [1, 'the answer is no', ['license', 'check', 'DEMO'], {}],
    [2, 'the command line is wrong', ['customers', 'list', '--page', '0'], {}],
    [3, 'the service is unreachable', ['customers', 'list'], { LATCHKEY_BASE_URL: 'http://127.0.0.1:9/v1' }],
    [4, 'the token is not accepted', ['customers', 'list'], { LATCHKEY_ACCESS_TOKEN: 'wrong-token' }],
    [5, 'there is no such license', ['keys', 'list', unknownId], {}],
  ])('exits with %i when %s', async (exitCode, _, words, env) => {
    const emulator = await emulatorForTest({ customers: 1 })
    const args = words.map((word) => (word === 'DEMO' ? emulator.demoLicense.id : word))
    const run = await latchkey(node, emulator, args, { env })
    expect(run.exitCode, run.err).toBe(exitCode)
    if (exitCode === 1) {
      expect(run).toMatchObject({ out: expect.stringMatching(/^undecided: /u), err: '' })
    } else {
      expect(run).toMatchObject({ out: '', err: expect.stringMatching(/\S/u) })
    }
    expect(run.err).not.toContain('wrong-token')
  })

  test('exits with 6 when something other than the service answers', async () => {
    const emulator = await emulatorForTest({ customers: 1 })
    emulator.control.faults.inject({ fault: 'html' })
    const run = await latchkey(node, emulator, ['customers', 'list'])
    expect(run).toMatchObject({ exitCode: 6, out: '' })
  })

  test.each([
    ['UTF-8', (text: string) => text],
    ['UTF-16, as PowerShell writes it', (text: string) => Buffer.from(`\ufeff${text}\r\n`, 'utf16le')],
  ])('reads the license from standard input in %s, in any surrounding text', async (_, encode) => {
    const emulator = await emulatorForTest()
    emulator.control.addKey(emulator.demoLicense.id, 'Laptop')
    const input = encode(`Hello, my key is ${emulator.demoLicense.id.toUpperCase()}. Thanks!`)
    const { exitCode, out } = await latchkey(node, emulator, ['--json', 'keys', 'list', '-'], { input })
    expect([exitCode, JSON.parse(out).keys.length]).toEqual([0, 1])
  })

  test('prefers the token in the file named by LATCHKEY_ACCESS_TOKEN_FILE', async () => {
    const emulator = await emulatorForTest({ customers: 1, accessToken: 'from-the-file' })
    const file = path.join(await temporaryFolder(), 'token')
    await writeFile(file, 'from-the-file\n')
    await chmod(file, 0o600)
    const env = { LATCHKEY_ACCESS_TOKEN_FILE: file, LATCHKEY_ACCESS_TOKEN: 'from-the-environment' }
    expect(await latchkey(node, emulator, ['customers', 'list'], { env })).toMatchObject({ exitCode: 0 })
  })

  // No answer ever comes.
  test.each([
    [['customers', 'list'], 3, 'no answer came within 0.3 s'],
    [['doctor'], 1, 'no answer came within 0.3 s'],
  ])('%j stops waiting after --timeout', async (words, exitCode, told) => {
    const emulator = await emulatorForTest({ customers: 1 })
    emulator.control.faults.inject({ fault: 'timeout' })
    const run = await latchkey(node, emulator, ['--timeout', '0.3', ...words])
    expect(run.exitCode, run.out).toBe(exitCode)
    expect(run.out + run.err).toContain(told)
  })
})
