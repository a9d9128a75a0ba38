import { nearestName } from '@latchkey/commerce/options'
import { parseTimestamp } from '../shared/timestamp.ts'

/**
 * Checks a name that a test passes, because tests often run without a type check.
 *
 * @param caller the function that got the name.
 * @param what what the name should be, such as `a status`.
 * @param known the names there are.
 * @throws TypeError if it is none of them. The message has the nearest one.
 */
export function checkName(caller: string, given: unknown, what: string, known: readonly string[]): void {
  if (typeof given === 'string' && known.includes(given)) return
  if (typeof given !== 'string') throw new TypeError(`${caller}: this is not ${what}${listOf(known)}`)
  throw new TypeError(`${caller}: "${given}" is not ${what}${hintFor(given, known) || listOf(known)}`)
}

/** Checks that an object has no other fields than the known ones. @throws TypeError if it has. */
export function checkFields(caller: string, given: object, what: string, known: readonly string[]): void {
  for (const name of Object.keys(given)) checkName(caller, name, what, known)
}

/** Checks that the named fields of an object are dates as text, if it has them. @throws TypeError if one isn't. */
export function checkDates(caller: string, given: object, names: readonly string[]): void {
  for (const name of names) {
    const date: unknown = Reflect.get(given, name)
    if (date === undefined || date === null || isDateText(date)) continue
    throw new TypeError(`${caller}: ${name} is an ISO 8601 text, such as '2030-01-15T00:00:00.000000Z'`)
  }
}

/** Checks the listener of a `subscribe`. @throws TypeError if it isn't a function. */
export function checkListener(listener: unknown): void {
  if (typeof listener !== 'function')
    throw new TypeError('subscribe: pass a function that is called after every change')
}

/** `Date.parse` alone also reads texts such as `March 1`. */
function isDateText(given: unknown): boolean {
  return typeof given === 'string' && /^[+-]?\d{4,6}-\d\d-\d\d/u.test(given) && parseTimestamp(given) !== null
}

function hintFor(given: string, known: readonly string[]): string {
  // Anything starts with an empty text. Without its last letter, "no-seats" is the start of "no-seat-left".
  const starts = [given, given.slice(0, -1)].filter((start) => start.length > 2)
  const nearest =
    nearestName(given, known) ?? known.find((name) => starts.some((start) => name.startsWith(start)))
  return nearest === undefined ? '' : ` (did you mean "${nearest}"?)`
}

/** How many names a message lists if none is near. */
const maxListed = 10

function listOf(known: readonly string[]): string {
  const listed = known.slice(0, maxListed).map((name) => `"${name}"`)
  return ` (use ${listed.join(', ')}${known.length > maxListed ? ', …' : ''})`
}
