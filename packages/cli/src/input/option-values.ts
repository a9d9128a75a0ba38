import { longestOfflineDays } from '@latchkey/services/offline'
import { InvalidArgumentError } from 'commander'

/** Refuses an empty text, as from a shell variable that isn't set. @throws {InvalidArgumentError} */
export function notEmpty(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('It is empty.')
}

/** Reads a number above 0. @throws {InvalidArgumentError} */
export function positive(text: string): number {
  const number = Number(text)
  if (number > 0 && Number.isFinite(number)) return number
  throw new InvalidArgumentError('It must be a number above 0.')
}

/** Reads a whole number, at least 1. @throws {InvalidArgumentError} */
export function positiveInteger(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw new InvalidArgumentError('It must be a whole number, at least 1.')
}

/** Reads a number of days that a signed answer may be valid. @throws {InvalidArgumentError} */
export function offlineDays(text: string): number {
  const days = positiveInteger(text)
  if (days <= longestOfflineDays) return days
  throw new InvalidArgumentError(`It must be at most ${longestOfflineDays} days.`)
}
