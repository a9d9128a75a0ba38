import { checkOptions, OptionsError } from '@latchkey/commerce/options'
import * as z from 'zod/mini'

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

/** An option that is a function. */
export const aFunction: z.ZodMiniType<() => void> = z.custom(
  (value) => typeof value === 'function',
  'must be a function',
)

/** An option that is an object with a method. */
export function withMethod<Value>(method: string, rule: string): z.ZodMiniType<Value> {
  return z.custom<Value>((value) => typeof Object(value)[method] === 'function', rule)
}

/**
 * Checks the names and values of options. TypeScript does so as well, but JavaScript doesn't.
 *
 * @param hints how the sentence about a name that isn't an option goes on.
 * @throws {GatewayConfigError} that names every option that can't be used.
 */
export function checkedOptions<Options>(
  caller: string,
  schema: z.ZodMiniType<Options>,
  given: unknown,
  hints: Readonly<Record<string, string>> = {},
): Options {
  try {
    return checkOptions(caller, schema, given, { hints })
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error
    throw new GatewayConfigError(
      error.problems.map(({ option, problem }) => `${caller}: ${option || 'the argument'} ${problem}.`),
    )
  }
}
