import type { CommandOutput } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printable } from '../printable.ts'
import type { Finding } from './finding.ts'

const marks = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

/** Prints the doctor's findings and returns the exit code. */
export async function printFindings(output: CommandOutput, findings: readonly Finding[]): Promise<number> {
  const exitCode = findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.negative : exitCodes.ok
  if (output.json) return output.printJson({ findings }, exitCode)
  for (const { check, verdict, detail } of findings) {
    await output.terminal.out.write(`${marks[verdict]}  ${check.padEnd(13)} ${printable(detail)}\n`)
  }
  return exitCode
}
