import type { Logger } from '../../core/ports/logger-port.ts'
import { offlineTextNames } from '../../shared/offline-text-names.ts'
import { problemMessages } from '../../shared/problem.ts'
import { didYouMean } from './nearest-name.ts'

/**
 * Warns once about each key in `window.strings` that the window doesn't use.
 *
 * @param known the window's own texts, in any language.
 */
export function createStringNameCheck(
  logger: Logger,
): (given: Readonly<Record<string, string>> | undefined, known: object | undefined) => void {
  const told = new Set<string>()
  return (given = {}, known = {}) => {
    const givenNames = Object.keys(given)
    const names = givenNames.length === 0 ? [] : [...namesOf(known), ...offlineTextNames]
    for (const name of givenNames) {
      if (told.has(name) || names.includes(name)) continue
      told.add(name)
      logger.warn(`window.strings.${name} is not a text of the activation window${didYouMean(name, names)}`)
    }
  }
}

const pluralCategories = ['zero', 'one', 'two', 'few', 'many', 'other']

function namesOf(known: object): readonly string[] {
  return Object.entries(known).flatMap(([name, text]: [string, unknown]) => {
    if (typeof text === 'string') return [name]
    // English has its own text for some problems only. The others show the problem's message, which can be replaced too.
    const forms = name === 'problems' ? Object.keys(problemMessages) : pluralCategories
    return forms.map((form) => `${name}.${form}`)
  })
}
