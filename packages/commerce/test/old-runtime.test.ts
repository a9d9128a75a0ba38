import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { json, startService } from './service.ts'

it('works, times out and cancels in a runtime as old as Node 18.15', async () => {
  const service = await startService(json({ data: [] }))
  const silent = await startService(() => {})
  // A process of its own: what it takes from the runtime would be missing for every other test.
  const program = path.join(import.meta.dirname, 'fixtures', 'old-runtime.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program, service.baseUrl, silent.baseUrl])
  expect(JSON.parse(stdout)).toEqual({
    keys: [],
    timedOut: { code: 'unreachable', reason: 'timeout' },
    cancelled: { code: 'cancelled', reason: null },
  })
})
