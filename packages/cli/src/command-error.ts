/** The exit codes of the process. Scripts depend on these numbers, so they never change. */
export const exitCodes = {
  ok: 0,
  /** The answer is no, such as a license that an app would refuse. */
  negative: 1,
  /** The command line, the environment or a file is unusable. */
  usage: 2,
  /** The service could not be reached, or asked to try again later. */
  unreachable: 3,
  /** The service does not accept the token. */
  unauthorized: 4,
  /** The license or device doesn't exist. */
  notFound: 5,
  /** The service refused the request, or its answer doesn't match the interface. */
  unexpected: 6,
  /** Stopped with Ctrl-C. */
  interrupted: 130,
} as const

/** Printed at the end of every `--help`. */
export const exitCodesHelp: string = `
Exit codes:
  0  done                         1  the answer is no (license check, doctor,
                                  customers find, offline sign,
                                  issue --csv with a bad row)
  2  wrong arguments              3  service unreachable
  4  token not accepted           5  no such license or device
  6  refused or unexpected answer 130  interrupted by Ctrl-C
`

/** Ends a command. The message is one or more sentences that say what to do, without a secret. */
export class CommandError extends Error {
  override readonly name = 'CommandError' as const
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.usage) {
    super(message)
    this.exitCode = exitCode
  }
}
