import type { CommandContext } from '../command-context.ts'
import { examine } from '../doctor/examine.ts'
import { examineGateway } from '../doctor/examine-gateway.ts'
import { exitCodes } from '../exit-codes.ts'
import { readId } from '../identifiers.ts'
import { printable } from '../printable.ts'
import { UsageError } from '../usage-error.ts'

const marks = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

/** Options of `doctor`. */
export interface DoctorOptions {
  readonly license?: string
  /** Address of a gateway. The context is already connected to it. */
  readonly gateway?: string
}

/** `latchkey doctor` */
export async function runDoctor(context: CommandContext, options: DoctorOptions): Promise<number> {
  const { terminal } = context
  if (options.gateway !== undefined && options.license === undefined) {
    throw new UsageError('--gateway needs --license: a license with a free seat, to try every request with.')
  }
  const licenseId = options.license === undefined ? null : await readId('license', options.license, terminal)
  const findings = [...(await examine(context, licenseId))]
  const hasAnswered = findings.some(({ check, verdict }) => check === 'reachable' && verdict === 'good')
  if (options.gateway !== undefined && licenseId !== null && hasAnswered) {
    findings.push(...(await examineGateway(context, licenseId)))
  }
  const exitCode = findings.some(({ verdict }) => verdict === 'bad') ? exitCodes.negative : exitCodes.ok
  if (context.json) return context.printJson({ findings }, exitCode)
  for (const { check, verdict, detail } of findings) {
    await terminal.out.write(`${marks[verdict]}  ${check.padEnd(13)} ${printable(detail)}\n`)
  }
  return exitCode
}
