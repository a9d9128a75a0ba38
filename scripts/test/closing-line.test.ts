import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { closingLine, readTestCounts, totalCounts } from '../check/test-counts.ts'

test('the last line counts every test and step, and steps that didn’t run as failed', () => {
  const total = totalCounts(
    [
      { name: 'lint', status: 'passed', durationMs: 1 },
      { name: 'unit', status: 'failed', durationMs: 1 },
      { name: 'e2e', status: 'not-run', because: 'build did not pass', durationMs: 0 },
    ],
    [
      { passed: 40, failed: 2, skipped: 0 },
      { passed: 0, failed: 0, skipped: 0 },
    ],
  )
  expect(closingLine(total)).toBe('41 passed, 4 failed')
})

test('skipped tests are listed', () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 2 })).toBe('3 passed, 0 failed, 2 skipped')
})

test('reports of Vitest are read, and a missing one counts as empty', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-report-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const reportPath = path.join(folder, 'unit.json')
  expect(await readTestCounts(reportPath)).toEqual({ passed: 0, failed: 0, skipped: 0 })
  const report = { numPassedTests: 5, numFailedTests: 1, numPendingTests: 1, numTodoTests: 1, success: false }
  await writeFile(reportPath, JSON.stringify(report))
  expect(await readTestCounts(reportPath)).toEqual({ passed: 5, failed: 1, skipped: 2 })
})
