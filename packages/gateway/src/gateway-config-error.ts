/**
 * The gateway's configuration is invalid. The message names every invalid option and says what to do. It never contains
 * a value, because a value may be a secret.
 */
export class GatewayConfigError extends Error {
  override readonly name = 'GatewayConfigError' as const
  /** One sentence per invalid option. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.problems = problems
  }
}
