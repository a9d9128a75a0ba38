import { UsageError } from './usage-error.ts'

/**
 * Refuses what is copied along with a token by mistake, so that the service doesn't refuse the token without a reason.
 *
 * @returns the token.
 * @throws {UsageError} The message doesn't contain the token.
 */
export function checkTokenText(token: string | undefined): string | undefined {
  if (token === undefined) return token
  if (/[\r\n]/u.test(token)) {
    throw new UsageError(
      'The access token has more than one line. Its file contains the token and nothing else, not even a comment.',
    )
  }
  // A token has equals signs only at its end.
  if (/^(?:export\s+)?[a-z_]\w*=[^=]/iu.test(token)) {
    throw new UsageError(
      'The access token begins with a name and an equals sign. Keep only the part after it, without quotation marks: a token file contains nothing else.',
    )
  }
  if (/^["'`“”‘’]|["'`“”‘’]$/u.test(token)) {
    throw new UsageError('The access token is in quotation marks. Remove them.')
  }
  return token
}
