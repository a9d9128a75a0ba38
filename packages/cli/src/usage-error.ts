/** What was typed, set or found in a file cannot be used; the message says what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
