import path from 'node:path'
import { expect, test } from 'vitest'
import { describeOfflineProblem } from '../src/core/offline.ts'
import { describeProblem } from '../src/core/problem.ts'
import { LicensingBridgeError, type LicensingBridgeFault } from '../src/renderer/licensing-client.ts'
import { type OfflineProblemCode, offlineProblemMessages } from '../src/shared/offline-problem.ts'
import { type Problem, type ProblemCode, problemMessages } from '../src/shared/problem.ts'

const page = path.join(import.meta.dirname, '../../../docs/problem-codes.md')

/** A fault without a row is a compile error. */
const bridgeFaults: Record<LicensingBridgeFault, null> = {
  'bridge-missing': null,
  'bridge-version': null,
  'bridge-silent': null,
}

function row(cells: readonly string[], widths: readonly number[]): string {
  return `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
}

function tableOf(
  problems: readonly Pick<Problem, 'message' | 'isRetryable'>[],
  codes: readonly string[],
): string {
  const cells = problems.map(({ message, isRetryable }, index) => [
    `\`${codes[index]}\``,
    message,
    isRetryable ? 'yes' : 'no',
  ])
  return renderTable(['code', 'what the user sees', 'retry helps'], cells)
}

function renderTable(headings: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((line) => line[column]?.length ?? 0)),
  )
  const rule = widths.map((width) => '-'.repeat(width))
  return [headings, rule, ...cells].map((line) => row(line, widths)).join('\n')
}

// `pnpm unit documents-every -u` updates the page.
test('the page of problem codes matches the maps of codes', async () => {
  const codes = Object.keys(problemMessages) as ProblemCode[]
  const offlineCodes = Object.keys(offlineProblemMessages) as OfflineProblemCode[]
  const table = tableOf(
    codes.map((code) => describeProblem({ code }, 0)),
    codes,
  )
  const offlineTable = tableOf(
    offlineCodes.map((code) => describeOfflineProblem({ code }, 0)),
    offlineCodes,
  )
  const bridgeTable = renderTable(
    ['code', 'what is wrong'],
    (Object.keys(bridgeFaults) as LicensingBridgeFault[]).map((code) => [
      `\`${code}\``,
      new LicensingBridgeError(code).message,
    ]),
  )
  await expect(`# Problem codes

Every problem that Latchkey reports has one of these codes: in \`state.problem\`, and in the results of methods such as
\`activate\`. A code never changes its meaning. The wording of its sentence may change.

${table}

If \`no-license-key\` or \`license-not-found\` is reported for a correct license key, and your gateway is in front of Polar, Lemon
Squeezy, Dodo Payments or Keygen, the app may lack [\`licenseKeys: 'any'\`](services/index.md#with-the-gateway): without it, an
app only takes UUIDs.

## Activation without internet

Only the results of \`activateOffline\` have these codes. They are about the text or file that the user chose, which
changed nothing on this device.

${offlineTable}

## Windows without Latchkey

If a page can't reach the main process, \`<latchkey-activation>\` shows one of these codes and asks the user to send it to you. In
your own code, it is the \`code\` of a \`LicensingBridgeError\`, whose message is in the last column. The methods of \`licensing\`
and \`licensing.ready\` reject with it. If a page only subscribes, the message of \`bridge-silent\` is in its console. The option
\`trustedOrigins\` trusts an origin.

${bridgeTable}
`).toMatchFileSnapshot(page)
})
