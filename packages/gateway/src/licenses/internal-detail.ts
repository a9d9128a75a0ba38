import { RuleError } from './rule-error.ts'

/** Returns what failed inside the gateway, for its log: the rule's name, and the error's name and message. */
export function internalDetail(error: unknown): string {
  try {
    if (!(error instanceof RuleError)) return textOf(error)
    const { cause, message, rule } = error
    return `rule ${rule}: ${cause === undefined ? message : textOf(cause)}`
  } catch {
    // The getters of an error may throw, too.
    return 'an unreadable error'
  }
}

/** `fetch` only says why it failed in the cause, and a refused connection may have a code but no message. */
function textOf(error: unknown, isCause = false): string {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return 'something other than an error was thrown'
  const { name, message, cause } = error
  const code = 'code' in error ? String(error.code) : ''
  const text = [name, message || code].filter((part) => part !== '').join(': ')
  return cause instanceof Error && !isCause ? `${text} (${textOf(cause, true)})` : text
}
