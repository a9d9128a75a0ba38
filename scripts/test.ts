import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { cachePath, reportFolder, repositoryRoot } from './workspace/repository.ts'

// `pnpm test`: every check. Wireit runs the steps of package.json's "check" side by side; the counts come from Vitest's
// reports. `--long` uses more iterations, and repeats the end-to-end tests with every service.

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
})

const isLong = process.argv.includes('--long')
console.log(`Node ${process.version} on ${process.platform} ${process.arch}${isLong ? ', long run' : ''}`)
await rm(reportFolder, { recursive: true, force: true })

const steps = spawn('pnpm', ['run', 'check'], {
  cwd: repositoryRoot,
  stdio: 'inherit',
  // On Windows, pnpm is a script.
  shell: process.platform === 'win32',
  env: {
    ...process.env,
    // One run shows every failure.
    WIREIT_FAILURES: 'continue',
    // Some thousand processes start, and many of them load the same code.
    NODE_COMPILE_CACHE: path.join(cachePath, 'compiled'),
    ...(isLong && { LATCHKEY_LONG: '1' }),
    ...(process.stdout.isTTY !== true && { NO_COLOR: '1', FORCE_COLOR: undefined }),
  },
})
process.once('SIGTERM', () => steps.kill())
const [exitCode] = await once(steps, 'close')
const havePassed = exitCode === 0

let [passed, failed, skipped] = [0, 0, 0]
for await (const file of glob(path.join(reportFolder, '*.json'))) {
  const report = reportSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  passed += report.numPassedTests
  failed += report.numFailedTests
  skipped += report.numPendingTests + report.numTodoTests
}
// What failed may be a step without tests, such as lint.
if (!havePassed && failed === 0) failed = 1

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = havePassed ? 0 : 1
