/** Thrown if an argument, a setting or a file is unusable. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}
