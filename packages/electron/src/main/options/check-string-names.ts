import type { Logger } from '../../core/ports.ts'
import { problemMessages } from '../../shared/problem.ts'
import {
  type ActivationTexts,
  countedTextNames,
  offlineTextNames,
  ownTextNames,
  textNames,
} from '../../shared/text-names.ts'
import { didYouMean } from './nearest-name.ts'

/** Warns once about each text in `window.strings` that has an unknown key or an unknown placeholder. */
export function createStringNameCheck(logger: Logger): (given: ActivationTexts | undefined) => void {
  const told = new Set<string>()
  return (given = {}) => {
    const givenTexts = Object.entries(given)
    const names = givenTexts.length === 0 ? [] : allNames()
    for (const [name, text = ''] of givenTexts) {
      if (told.has(name)) continue
      told.add(name)
      if (names.includes(name)) checkPlaceholders(name, text, logger)
      else logger.warn(`window.strings.${name} is not a text of the activation window${hintFor(name, names)}`)
    }
  }
}

function hintFor(name: string, names: readonly string[]): string {
  const problem = `problems.${name}`
  return names.includes(problem) ? ` (did you mean "${problem}"?)` : didYouMean(name, names)
}

/** The placeholders of each text besides `{app}`, which works everywhere. A test compares them with the English texts. */
export const placeholders: Readonly<Record<string, readonly string[]>> = {
  endsSoonLead: ['date'],
  usedOfLimit: ['used', 'limit'],
  wrongDateLead: ['date'],
  blockedLead: ['host'],
  nextTry: ['time'],
  seatsInUse: ['used', 'limit'],
  activatedOn: ['date'],
  expiredLead: ['date'],
  notCoveredLead: ['date'],
  trialLead: ['date'],
  graceLead: ['count'],
  renewalLead: ['count'],
  trialHeading: ['count'],
  'offline.activeUntil': ['date'],
  'offline.endsSoon': ['date'],
}

function checkPlaceholders(name: string, text: string, logger: Logger): void {
  const counted = countedTextNames.find((other) => name.startsWith(`${other}.`))
  const known = ['app', ...(placeholders[counted ?? name] ?? [])]
  for (const [, given = ''] of text.matchAll(/\{(\w+)\}/gu)) {
    if (known.includes(given)) continue
    const list = known.map((other) => `{${other}}`).join(', ')
    logger.warn(
      `window.strings.${name} contains {${given}}, which stays as it is: the placeholders of this text are ${list}`,
    )
  }
}

// A name without a form gets the first one that it could have, and every language has this one.
const pluralCategories = ['other', 'one', 'two', 'few', 'many', 'zero']

function allNames(): readonly string[] {
  return [
    ...textNames,
    ...ownTextNames,
    ...countedTextNames.flatMap((name) => pluralCategories.map((form) => `${name}.${form}`)),
    ...Object.keys(problemMessages).map((code) => `problems.${code}`),
    ...offlineTextNames,
  ]
}
