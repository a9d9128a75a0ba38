import path from 'node:path'
import { expect, test } from 'vitest'
import { describeProblem } from '../src/core/problem.ts'
import { type ProblemCode, problemMessages } from '../src/shared/problem.ts'

const page = path.join(import.meta.dirname, '../../../docs/problem-codes.md')

function row(cells: readonly string[], widths: readonly number[]): string {
  return `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
}

// `pnpm unit documents-every -u` updates the page.
test('the page of problem codes matches the one map of codes', async () => {
  const codes = Object.keys(problemMessages) as ProblemCode[]
  const cells = codes.map((code) => {
    const { message, isRetryable } = describeProblem({ code }, 0)
    return [`\`${code}\``, message, isRetryable ? 'yes' : 'no']
  })
  const headings = ['code', 'what the user sees', 'retry helps']
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((line) => line[column]?.length ?? 0)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  const table = [headings, rule, ...cells].map((line) => row(line, widths)).join('\n')
  await expect(`# Problem codes

Every problem that Latchkey reports has one of these codes: in \`state.problem\`, and in the results of methods such as
\`activate\`. A code never changes its meaning. The wording of its sentence may change.

${table}
`).toMatchFileSnapshot(page)
})
