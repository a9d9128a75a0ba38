import { rm } from 'node:fs/promises'
import { runCommand } from './check/run-command.ts'
import { runSteps, type Step, type StepOutcome } from './check/step.ts'
import { reportFolder, steps } from './check/steps.ts'
import { closingLine, readTestCounts, totalCounts } from './check/test-counts.ts'

// `pnpm test`: every check, in one command. `--long` runs tests with more iterations.

const isLongRun = process.argv.includes('--long')
const nameWidth = Math.max(...steps.map(({ name }) => name.length))

function print(name: string, line: string): void {
  process.stdout.write(`${name.padEnd(nameWidth)} | ${line}\n`)
}

async function runStep(step: Step): Promise<boolean> {
  print(step.name, 'started')
  // Lines of several steps share one log: colours and cursor tricks would only garble it.
  const env = {
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    ...(isLongRun ? { LATCHKEY_LONG: '1' } : {}),
  }
  return runCommand(step.command, env, (line) => {
    if (line.trim() !== '') print(step.name, line)
  })
}

function describe(outcome: StepOutcome): string {
  if (outcome.status === 'not-run') return `not run: ${outcome.because}`
  return `${outcome.status} ${(outcome.durationMs / 1000).toFixed(1).padStart(7)} s`
}

console.log(`Node ${process.version} on ${process.platform} ${process.arch}${isLongRun ? ', long run' : ''}`)
process.once('SIGTERM', () => process.exit(143))
await rm(reportFolder, { recursive: true, force: true })

const outcomes = await runSteps(steps, 2, runStep)
const counts = await Promise.all(
  steps.flatMap(({ reportPath }) => (reportPath === undefined ? [] : [readTestCounts(reportPath)])),
)
const total = totalCounts(outcomes, counts)

console.log('')
for (const outcome of outcomes) print(outcome.name, describe(outcome))
console.log('')
console.log(closingLine(total))
process.exitCode = total.failed > 0 ? 1 : 0
