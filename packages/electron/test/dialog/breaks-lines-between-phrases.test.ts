import { expect, test } from 'vitest'
import { loadStrings } from '../../src/dialog/texts/load-strings.ts'

/** Every text of a language, by its key. */
async function textsOf(locale: string): Promise<readonly (readonly [name: string, text: string])[]> {
  const { strings, offlineStrings } = await loadStrings(locale)
  const collect = (group: object): (readonly [string, string])[] =>
    Object.entries(group).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string'
        ? [[name, value] as const]
        : collect(Object(value)).map(([form, text]) => [`${name}.${form}`, text] as const),
    )
  return [...collect(strings), ...collect(offlineStrings)]
}

/** Width in em. Letters of other scripts take about half. */
function widthOf(line: string, values: Readonly<Record<string, string>>): number {
  const text = line.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole)
  return [...text].reduce((width, letter) => width + (letter > '\u2e80' ? 1 : 0.55), 0)
}

test('Chinese sentences below a heading fit a line, because lines break after any character', async () => {
  const values = { app: 'A longer name', date: '2031年12月31日', count: '99', host: 'api.example.com' }
  for (const [name, text] of await textsOf('zh')) {
    if (!/lead(?:\.\w+)?$/iu.test(name)) continue
    for (const line of text.split('\n')) expect(widthOf(line, values), line).toBeLessThanOrEqual(26)
  }
})

// Before Chromium 119, lines break only at punctuation and at zero-width spaces. A longer part breaks anywhere, even in
// front of a full stop.
test('Japanese texts fit a line between two breaks', async () => {
  for (const [name, text] of await textsOf('ja')) {
    for (const part of text.split(/(?<=[、。？！\s\u200b])/u)) {
      const width = widthOf(part, { app: 'Inkpad', date: '2026年11月28日' })
      expect(width, part).toBeLessThanOrEqual(/heading$/iu.test(name) ? 18 : 25)
    }
  }
})
