import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accentPalette, contrast, cssColour, type Rgb } from '../../src/dialog/accent-palette.ts'

const backgrounds: readonly Rgb[] = [
  [255, 255, 255],
  [248, 248, 250],
  [28, 28, 32],
]
const channel = fc.integer({ min: 0, max: 255 })
const colour: fc.Arbitrary<Rgb> = fc.tuple(channel, channel, channel)

describe('any accent', () => {
  test('leaves the text on buttons and the accent as text readable, light and dark', () => {
    fc.assert(
      fc.property(colour, fc.constantFrom(...backgrounds), (accent, background) => {
        const { fill, onFill, text } = accentPalette(accent, background)
        expect(contrast(fill, onFill)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(text, background)).toBeGreaterThanOrEqual(4.5)
      }),
      { numRuns: 3_000 },
    )
  })

  test('keeps its own colour as the fill', () => {
    fc.assert(
      fc.property(colour, fc.constantFrom(...backgrounds), (accent, background) => {
        expect(accentPalette(accent, background).fill).toEqual(accent)
      }),
    )
  })
})

test('a readable accent stays as it is; a pale one turns darker, a dark one lighter', () => {
  expect(accentPalette([0, 90, 50], [255, 255, 255])).toEqual({
    fill: [0, 90, 50],
    onFill: [255, 255, 255],
    text: [0, 90, 50],
  })
  const yellow = accentPalette([255, 212, 59], [255, 255, 255])
  expect(yellow.onFill).toEqual([0, 0, 0])
  expect(contrast(yellow.text, [0, 0, 0])).toBeLessThan(contrast([255, 212, 59], [0, 0, 0]))
  const navy = accentPalette([10, 20, 80], [28, 28, 32])
  expect(contrast(navy.text, [0, 0, 0])).toBeGreaterThan(contrast([10, 20, 80], [0, 0, 0]))
})

test('contrast is what WCAG says it is', () => {
  expect(contrast([255, 255, 255], [0, 0, 0])).toBeCloseTo(21, 5)
  expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2)
  expect(cssColour([1, 2, 3])).toBe('rgb(1 2 3)')
})
