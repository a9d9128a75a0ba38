/** The rules of the vendor, by the names of their options. */
export type RuleName = 'allow' | 'plan' | 'features'

/** A rule of the vendor threw, or returned a value of the wrong type. The license keeps what it has. */
export class RuleError extends Error {
  override readonly name: string = 'RuleError'
  readonly rule: RuleName

  /** @param options `cause` is the value that the rule threw. */
  constructor(rule: RuleName, problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.rule = rule
  }
}

/**
 * Calls a rule.
 *
 * @throws {RuleError} if the rule throws. The rule may use a client of the service itself, and an error of that client
 * must not be read as the service's answer about this license.
 */
export async function callRule<Served, Result>(
  name: RuleName,
  rule: (served: Served) => Result,
  served: Served,
): Promise<Awaited<Result>> {
  try {
    return await rule(served)
  } catch (cause) {
    throw new RuleError(name, 'threw an error', { cause })
  }
}

/** Returns the type of a rule's result for a message, which must not show the result itself. */
export function kindOf(result: unknown): string {
  if (result === undefined || result === null) return String(result)
  if (Array.isArray(result)) return 'a list'
  return typeof result === 'object' ? 'an object' : `a ${typeof result}`
}
