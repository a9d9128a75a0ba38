import type { CommandContext } from '../command-context.ts'
import { examine } from '../doctor/examine.ts'
import { examineGateway } from '../doctor/examine-gateway.ts'
import { askForLeases, judgeLeases, leaseRequest } from '../doctor/examine-leases.ts'
import { examineOfflinePage } from '../doctor/examine-offline-page.ts'
import type { Finding } from '../doctor/finding.ts'
import { printFindings } from '../doctor/print-findings.ts'
import { readAnyLicenseKey, readId } from '../identifiers.ts'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

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
  const readLicense = options.gateway === undefined ? readLicenseId : readAnyLicenseKey
  const licenseId = options.license === undefined ? null : await readLicense(options.license, terminal)
  const findings = [...(await examine(context, licenseId))]
  const hasAnswered = findings.some(({ check, verdict }) => check === 'reachable' && verdict === 'good')
  // The requests would only repeat that there is no gateway, or that the service or the license wasn't found.
  const isFound = !findings.some(
    ({ check, verdict }) =>
      ['base URL', 'access token', 'proxy', 'schema', 'service', 'license'].includes(check) &&
      verdict === 'bad',
  )
  if (options.gateway !== undefined && licenseId !== null && hasAnswered && isFound) {
    const seat: Finding[] = []
    try {
      const answer = await askForLeases(context, licenseId)
      let validated: string | null = null
      // An unsigned answer to a validation is an error in the gateway's log, so this isn't asked for otherwise.
      const lease =
        answer.kind === 'none' && answer.isReplaced
          ? leaseRequest((found) => {
              validated = found
            })
          : null
      findings.push(...(await examineGateway(context, licenseId, lease, (finding) => seat.push(finding))))
      findings.push(judgeLeases(answer, validated))
      const page = await examineOfflinePage(context)
      if (page !== null) findings.push(page)
    } catch (error) {
      // No finding is printed after Ctrl-C, except for a seat that may still be taken.
      for (const { verdict, detail } of seat) {
        if (verdict === 'bad') terminal.err.write(`latchkey: ${printable(detail)}\n`)
      }
      throw error
    }
  }
  return printFindings(context, findings)
}

function readLicenseId(text: string, terminal: Terminal): Promise<string> {
  return readId('license', text, terminal)
}
