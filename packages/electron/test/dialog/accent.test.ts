import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accentPalette, accentProperties, contrast, type Rgb } from '../../src/dialog/accent.ts'

const backgrounds: readonly Rgb[] = [
  [255, 255, 255],
  [248, 248, 250],
  [28, 28, 32],
]
const channel = fc.integer({ min: 0, max: 255 })
const color: fc.Arbitrary<Rgb> = fc.tuple(channel, channel, channel)

describe('any accent', () => {
  test('leaves the text on buttons and the accent as text readable, light and dark', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(...backgrounds), (accent, background) => {
        const { fill, onFill, text } = accentPalette(accent, background)
        expect(contrast(fill, onFill)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(text, background)).toBeGreaterThanOrEqual(4.5)
      }),
      { numRuns: 3_000 },
    )
  })

  test('stays its own fill, at most a fifth darker where that makes white text readable', () => {
    fc.assert(
      fc.property(color, fc.constantFrom(...backgrounds), (accent, background) => {
        const { fill, onFill } = accentPalette(accent, background)
        if (onFill[0] === 0) expect(fill).toEqual(accent)
        for (const [index, value] of fill.entries()) {
          expect(value).toBeLessThanOrEqual(accent[index] ?? 0)
          expect(value).toBeGreaterThanOrEqual(Math.floor((accent[index] ?? 0) * 0.8))
        }
      }),
    )
  })

  test('is shaded away from its text, so that contrast only rises', () => {
    fc.assert(
      fc.property(color, (accent) => {
        const { onFill, away } = accentPalette(accent, [255, 255, 255])
        expect(contrast(onFill, away)).toBe(21)
      }),
    )
  })
})

test('a readable accent stays as it is; a pale one turns darker, a dark one lighter', () => {
  expect(accentPalette([0, 90, 50], [255, 255, 255])).toEqual({
    fill: [0, 90, 50],
    onFill: [255, 255, 255],
    away: [0, 0, 0],
    text: [0, 90, 50],
  })
  const yellow = accentPalette([255, 212, 59], [255, 255, 255])
  expect(yellow.onFill).toEqual([0, 0, 0])
  expect(contrast(yellow.text, [0, 0, 0])).toBeLessThan(contrast([255, 212, 59], [0, 0, 0]))
  const navy = accentPalette([10, 20, 80], [28, 28, 32])
  expect(contrast(navy.text, [0, 0, 0])).toBeGreaterThan(contrast([10, 20, 80], [0, 0, 0]))
})

test('the colors of the built-in accent are those made from it', () => {
  const hex = (value: string): string =>
    `#${Array.from(value.matchAll(/\d+/gu), ([channel]) => Number(channel).toString(16).padStart(2, '0')).join('')}`
  const [fill, , , onLight, onDark] = accentProperties([0x3d, 0x5a, 0xf1]).map(([, value]) => hex(value))
  const styles = (name: string): string =>
    readFileSync(path.join(import.meta.dirname, '../../src/dialog/styles', name), 'utf8')
  expect(styles('theme.css')).toContain(`--_accent-fill: ${fill}`)
  expect(styles('theme.css')).toContain(`var(--_accent-text-light, ${onLight})`)
  expect(styles('dark.css')).toContain(`var(--_accent-text-dark, ${onDark})`)
})
