import type { CommandContext } from '../command-context.ts'
import { examine } from '../doctor/examine.ts'
import { exitCodes } from '../exit-codes.ts'
import { readId } from '../identifiers.ts'
import { printable } from '../printable.ts'

const marks = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

/** `latchkey doctor` */
export async function runDoctor(
  context: CommandContext,
  options: { readonly license?: string },
): Promise<number> {
  const { terminal } = context
  const licenseId = options.license === undefined ? null : await readId('license', options.license, terminal)
  const findings = await examine(context, licenseId)
  const exitCode = findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.negative : exitCodes.ok
  if (context.json) return context.printJson({ findings }, exitCode)
  for (const { check, verdict, detail } of findings) {
    await terminal.out.write(`${marks[verdict]}  ${check.padEnd(13)} ${printable(detail)}\n`)
  }
  return exitCode
}
