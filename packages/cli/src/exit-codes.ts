import type { CommerceError } from '@latchkey/commerce'

/** The exit codes of the process. Scripts depend on these numbers, so they never change. */
export const exitCodes = {
  ok: 0,
  /**
   * The answer is no: an app would refuse the license, the doctor found a problem, no customer was found, or the license
   * allows no activation.
   */
  negative: 1,
  /** The command line, the environment or a file is unusable. */
  usage: 2,
  /** The service could not be reached, or asked to try again later. */
  unreachable: 3,
  /** The service does not accept the token. */
  unauthorized: 4,
  /** The license or key doesn't exist. */
  notFound: 5,
  /** The service refused the request, or its answer doesn't match the interface. */
  unexpected: 6,
  /** Stopped with Ctrl-C. An export to a file can be resumed. */
  interrupted: 130,
} as const

/** The codes of a gateway's 5xx answers that aren't about reaching the service. */
const gatewayExitCodes: Readonly<Record<string, number>> = {
  'upstream-unauthorized': exitCodes.unauthorized,
  'upstream-unexpected-answer': exitCodes.unexpected,
  'upstream-misconfigured': exitCodes.unexpected,
  'upstream-loop': exitCodes.unexpected,
}

/** Returns the exit code for a failed call. */
export function exitCodeOf({ code, refusalCode }: Pick<CommerceError, 'code' | 'refusalCode'>): number {
  const ofGateway = code === 'unreachable' ? gatewayExitCodes[refusalCode ?? ''] : undefined
  if (ofGateway !== undefined) return ofGateway
  switch (code) {
    case 'unreachable':
      return exitCodes.unreachable
    case 'unauthorized':
      return exitCodes.unauthorized
    case 'not-found':
      return exitCodes.notFound
    case 'cancelled':
      return exitCodes.interrupted
    case 'invalid-argument':
      return exitCodes.usage
    case 'rejected':
    case 'unexpected-answer':
    case 'untrusted-link':
      return exitCodes.unexpected
  }
}

/** Printed at the end of every `--help`. */
export const exitCodesHelp: string = `
Exit codes:
  0  done                         1  the answer is no (license check, doctor,
                                  customers find, offline sign)
  2  wrong arguments              3  service unreachable
  4  token not accepted           5  no such license or key
  6  refused or unexpected answer 130  interrupted by Ctrl-C
`
