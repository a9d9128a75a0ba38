import { expect, test } from 'vitest'
import { loadStrings } from '../../src/dialog/texts/load-strings.ts'

const { strings, offlineStrings } = await loadStrings('zh')

/** The sentences below a heading are at most 376 px wide, and a character is 14 px wide. */
const charactersPerLine = 26

/** Browsers break Chinese after any character, so a line that is too long is broken inside a word. */
function widthOf(line: string): number {
  const shown = line
    .replaceAll('{app}', 'A longer name')
    .replaceAll('{date}', '2031年12月31日')
    .replaceAll('{count}', '99')
  return [...shown].reduce((width, character) => width + (/[\u2E80-\uFFEF]/u.test(character) ? 1 : 0.55), 0)
}

test.each(
  Object.entries({ ...strings, ...offlineStrings }).flatMap(([name, text]) => {
    const texts = typeof text === 'string' ? [text] : Object.values(text)
    return /lead$/iu.test(name) ? texts.map((each) => ({ name, text: each })) : []
  }),
)('no line of $name in Chinese is broken inside a word', ({ text }) => {
  for (const line of text.split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(charactersPerLine)
})
