import { didYouMean } from '../main/options/nearest-name.ts'

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

function hintFor(given: string, known: readonly string[]): string {
  // Anything starts with an empty text. Without its last letter, "no-seats" is the start of "no-seat-left".
  const starts = [given, given.slice(0, -1)].filter((start) => start.length > 2)
  return starts.map((start) => didYouMean(start, known)).find((hint) => hint !== '') ?? ''
}

/** How many names a message lists if none is near. */
const maxListed = 10

function listOf(known: readonly string[]): string {
  const listed = known.slice(0, maxListed).map((name) => `"${name}"`)
  return ` (use ${listed.join(', ')}${known.length > maxListed ? ', …' : ''})`
}
