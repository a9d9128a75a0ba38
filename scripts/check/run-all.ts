import path from 'node:path'
import { countPardons, pardonLine } from '../e2e/pardons.ts'
import { cachePath } from '../workspace/repository.ts'
import { runCommand } from './run-command.ts'
import { runSteps, type Step, type StepOutcome } from './step.ts'
import { closingLine, readTestCounts, totalCounts } from './test-counts.ts'

/** Two more than the cores of a small machine, because tests often wait for processes and windows. */
const slots = 4

/**
 * Runs steps, prints their output line by line, and counts what passed.
 *
 * @returns the exit code: 0 only if every step and every test passed.
 */
export async function runAll(steps: readonly Step[], isLongRun: boolean): Promise<number> {
  const nameWidth = Math.max(...steps.map(({ name }) => name.length))
  const print = (name: string, line: string): void => {
    process.stdout.write(`${name.padEnd(nameWidth)} | ${line}\n`)
  }
  const runStep = async (step: Step): Promise<boolean> => {
    print(step.name, 'started')
    // Lines of several steps are mixed in one log, so colors and cursor movements are turned off.
    const env = {
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      // Some thousand processes start, and many of them load the same code.
      NODE_COMPILE_CACHE: path.join(cachePath, 'compiled'),
      ...(isLongRun ? { LATCHKEY_LONG: '1' } : {}),
      ...step.env,
    }
    return runCommand(step.command, env, (line) => {
      if (line.trim() !== '') print(step.name, line)
    })
  }

  const outcomes = await runSteps(steps, slots, runStep)
  const counts = await Promise.all(
    steps.flatMap(({ reportPath }) => (reportPath === undefined ? [] : [readTestCounts(reportPath)])),
  )
  const total = totalCounts(outcomes, counts)
  const pardoned = pardonLine(await countPardons())

  console.log('')
  for (const outcome of outcomes) print(outcome.name, describe(outcome))
  console.log('')
  if (pardoned !== null) console.log(pardoned)
  console.log(closingLine(total))
  return total.failed > 0 ? 1 : 0
}

function describe(outcome: StepOutcome): string {
  if (outcome.status === 'not-run') return `not run: ${outcome.because}`
  return `${outcome.status} ${(outcome.durationMs / 1000).toFixed(1).padStart(7)} s`
}
