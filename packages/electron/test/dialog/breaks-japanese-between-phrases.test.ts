import { expect, test } from 'vitest'
import { loadStrings } from '../../src/dialog/texts/load-strings.ts'

const { strings, offlineStrings } = await loadStrings('ja')

// Before Chromium 119, Japanese lines break only at punctuation and at zero-width spaces. A longer part breaks anywhere,
// even in front of a full stop.
const widest = { heading: 18, text: 25 }

/** Width of a text in em: letters of other scripts take about half. A date is as long as `2026年11月28日`. */
function widthOf(part: string): number {
  const text = part.replaceAll('{date}', '2026年11月28日').replaceAll('{app}', 'Inkpad')
  return [...text].reduce((width, letter) => width + (letter > '\u2e80' ? 1 : 0.6), 0)
}

function textsOf(strings: object, path = ''): [name: string, text: string][] {
  return Object.entries(strings).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [[`${path}${key}`, value] as [string, string]]
    return typeof value === 'object' && value !== null ? textsOf(value, `${key}.`) : []
  })
}

test.each([...textsOf(strings), ...textsOf(offlineStrings)])(
  '%s fits its line between two breaks',
  (name, text) => {
    const limit = /heading$/iu.test(name) ? widest.heading : widest.text
    for (const part of text.split(/(?<=[、。？！\s\u200b])/u))
      expect(widthOf(part), part).toBeLessThanOrEqual(limit)
  },
)
