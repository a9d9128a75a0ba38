import { rm } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { runAll } from './check/run-all.ts'
import type { Step } from './check/step.ts'
import { reportFolder, stepsOf } from './check/steps.ts'

// `pnpm test`: every check, in one command. `--long` uses more iterations; `--steps <module>` runs the steps that a
// module exports instead.

const { values } = parseArgs({
  options: { long: { type: 'boolean', default: false }, steps: { type: 'string' } },
})

async function stepsIn(module: string): Promise<readonly Step[]> {
  const loaded: { readonly steps: readonly Step[] } = await import(pathToFileURL(path.resolve(module)).href)
  return loaded.steps
}

console.log(
  `Node ${process.version} on ${process.platform} ${process.arch}${values.long ? ', long run' : ''}`,
)
process.once('SIGTERM', () => process.exit(143))
// A test of this script must not overwrite the reports of the run that it is part of.
if (values.steps === undefined) await rm(reportFolder, { recursive: true, force: true })
process.exitCode = await runAll(
  values.steps === undefined ? stepsOf(values.long) : await stepsIn(values.steps),
  values.long,
)
