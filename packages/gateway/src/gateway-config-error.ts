/**
 * The gateway cannot be started as configured. The message names every option that is wrong and says what to do; it
 * shows no value, for one of them may be a secret.
 */
export class GatewayConfigError extends Error {
  override readonly name = 'GatewayConfigError' as const
  /** One sentence for each thing that is wrong. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options)
    this.problems = problems
  }
}
