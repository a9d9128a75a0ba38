import { expect, test } from 'vitest'
import { loadStrings } from '../../src/texts/load-strings.ts'

/** Width in em. Letters of other scripts take about half. */
function widthOf(line: string, values: Readonly<Record<string, string>>): number {
  const text = line.replace(/\{(\w+)\}/gu, (whole, name: string) => values[name] ?? whole)
  return [...text].reduce((width, letter) => width + (letter > '\u2e80' ? 1 : 0.55), 0)
}

test('Chinese sentences below a heading fit a line, because lines break after any character', async () => {
  const values = { app: 'A longer name', date: '2031年12月31日', count: '99', host: 'api.example.com' }
  for (const [name, text] of Object.entries((await loadStrings('zh')).strings)) {
    if (!/lead(?:\.\w+)?$/iu.test(name)) continue
    for (const line of text.split('\n')) expect(widthOf(line, values), line).toBeLessThanOrEqual(26)
  }
})

// Before Chromium 119, lines break only at punctuation and at zero-width spaces. A longer part breaks anywhere, even in
// front of a full stop.
test('Japanese texts fit a line between two breaks', async () => {
  for (const [name, text] of Object.entries((await loadStrings('ja')).strings)) {
    for (const part of text.split(/(?<=[、。？！\s\u200b])/u)) {
      const width = widthOf(part, { app: 'Inkpad', date: '2026年11月28日' })
      expect(width, part).toBeLessThanOrEqual(/heading$/iu.test(name) ? 18 : 25)
    }
  }
})
