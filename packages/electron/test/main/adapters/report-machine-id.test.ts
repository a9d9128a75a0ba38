import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = mkdtempSync(path.join(tmpdir(), 'latchkey-report-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Asks as on macOS, in a process of its own, with an `ioreg` of the test's making. */
async function askWith(ioreg: string): Promise<string> {
  const folder = mkdtempSync(path.join(root, 'bin-'))
  const command = path.join(folder, 'ioreg')
  writeFileSync(command, `#!/bin/sh\n${ioreg}\n`)
  chmodSync(command, 0o755)
  const script = `
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    const { exec } = await import('node:child_process')
    const { reportMachineId } = await import(${JSON.stringify(
      path.resolve(import.meta.dirname, '../../../src/main/adapters/device.ts'),
    )})
    const asked = reportMachineId()
    const childProcess = await import('node:child_process')
    const answer = await asked.then((id) => 'id ' + id, () => 'rejected')
    const isRestored = childProcess.default.exec === exec
    process.stdout.write(answer + (isRestored ? '' : ', exec left changed'))
  `
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env })
  return stdout
}

if (process.platform === 'win32') {
  process.stdout.write(
    'Not run: asking a command for the machine ID, because the stand-in is a shell script\n',
  )
} else {
  describe.concurrent('asking the system for the machine ID', () => {
    test('gives the ID as the system spells it, and leaves child_process as it was', async () => {
      const line = `'    "IOPlatformUUID" = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"'`
      expect(await askWith(`echo ${line}`)).toBe('id 1b4e28ba-2fa1-11d2-883f-0016d3cca427')
    })

    test('a command that fails rejects', async () => {
      expect(await askWith('exit 1')).toBe('rejected')
    })

    test('a command without output rejects instead of ending the app', async () => {
      expect(await askWith('exit 0')).toBe('rejected')
    })
  })
}
