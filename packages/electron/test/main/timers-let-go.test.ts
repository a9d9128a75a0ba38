import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const clockModule = path.resolve(import.meta.dirname, '../../src/main/adapters/time.ts')

test('a waiting check keeps no process alive', async () => {
  const script = `
    const { createSystemClock } = await import(${JSON.stringify(clockModule)})
    createSystemClock().after(3_600_000, () => {})
    createSystemClock().after(90 * 86_400_000, () => {})
    process.stdout.write('done')
  `
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 100_000,
  })
  expect((await ended).stdout).toBe('done')
})
