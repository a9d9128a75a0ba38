import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { json, startService } from '../service.ts'

it('works, times out and cancels on Node 18.15', async () => {
  const service = await startService(json({ data: [] }))
  const silent = await startService(() => {})
  // In a separate process, because it removes globals that other tests need.
  const program = path.join(import.meta.dirname, '..', 'fixtures', 'old-runtime.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, service.baseUrl, silent.baseUrl])
  expect(JSON.parse(stdout)).toEqual({
    keys: [],
    timedOut: { code: 'unreachable', reason: 'timeout' },
    cancelled: { code: 'cancelled', reason: null },
  })
})
