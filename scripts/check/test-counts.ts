import { readFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import type { StepOutcome } from './step.ts'

/** The number of tests by result. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const reportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
})

/** Counts the tests in a report of vitest's `json` reporter; zero if there is no report. */
export async function readTestCounts(reportPath: string): Promise<TestCounts> {
  const text = await readFile(reportPath, 'utf8').catch(() => undefined)
  if (text === undefined) return { passed: 0, failed: 0, skipped: 0 }
  const report = reportSchema.parse(JSON.parse(text))
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** Counts all tests of all steps, and each step as one test. */
export function totalCounts(outcomes: readonly StepOutcome[], tests: readonly TestCounts[]): TestCounts {
  const passedSteps = outcomes.filter(({ status }) => status === 'passed').length
  const sum = (kind: keyof TestCounts) => tests.reduce((total, counts) => total + counts[kind], 0)
  return {
    passed: passedSteps + sum('passed'),
    failed: outcomes.length - passedSteps + sum('failed'),
    skipped: sum('skipped'),
  }
}

/** The last line of a run. */
export function closingLine({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
