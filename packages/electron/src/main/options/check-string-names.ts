import type { Logger } from '../../core/ports/logger-port.ts'
import { problemMessages } from '../../shared/problem.ts'
import {
  type ActivationTexts,
  countedTextNames,
  offlineTextNames,
  textNames,
} from '../../shared/text-names.ts'
import { didYouMean } from './nearest-name.ts'

/** Warns once about each key in `window.strings` that the window doesn't use. */
export function createStringNameCheck(logger: Logger): (given: ActivationTexts | undefined) => void {
  const told = new Set<string>()
  return (given = {}) => {
    const givenNames = Object.keys(given)
    const names = givenNames.length === 0 ? [] : allNames()
    for (const name of givenNames) {
      if (told.has(name) || names.includes(name)) continue
      told.add(name)
      logger.warn(`window.strings.${name} is not a text of the activation window${didYouMean(name, names)}`)
    }
  }
}

const pluralCategories = ['zero', 'one', 'two', 'few', 'many', 'other']

function allNames(): readonly string[] {
  return [
    ...textNames,
    ...countedTextNames.flatMap((name) => pluralCategories.map((form) => `${name}.${form}`)),
    ...Object.keys(problemMessages).map((code) => `problems.${code}`),
    ...offlineTextNames,
  ]
}
