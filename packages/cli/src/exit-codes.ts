import type { CommerceErrorCode } from '@latchkey/commerce'

/** What the process ends with. Scripts hang on these numbers: they do not change. */
export const exitCodes = {
  ok: 0,
  /** The answer is no: a license an app would refuse, a doctor's finding, no customer found. */
  negative: 1,
  /** The command line, the environment or a file is not usable. */
  usage: 2,
  /** The service could not be reached, or said to come back later. */
  unreachable: 3,
  /** The service does not accept the token. */
  unauthorized: 4,
  /** There is no such license or key. */
  notFound: 5,
  /** The service refused the request, or answered something else than the interface says. */
  unexpected: 6,
  /** Stopped by Ctrl-C; an export to a file can be resumed. */
  interrupted: 130,
} as const

/** The exit code that goes with a failed call. */
export function exitCodeOf(code: CommerceErrorCode): number {
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

/** Said at the end of every `--help`. */
export const exitCodesHelp: string = `
Exit codes:
  0  done                         1  the answer is no (license check, doctor, customers find)
  2  wrong use                    3  service unreachable
  4  token not accepted           5  no such license or key
  6  refused or unexpected answer 130  interrupted by Ctrl-C
`
