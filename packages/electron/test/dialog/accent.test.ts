import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accentFill, accentProperties, accentText, contrast, type Rgb } from '../../src/dialog/accent.ts'

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
        const { fill, onFill } = accentFill(accent)
        expect(contrast(fill, onFill)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(accentText(accent, background), background)).toBeGreaterThanOrEqual(4.5)
      }),
      { numRuns: 3_000 },
    )
  })

  test('stays its own fill, at most a fifth darker where that makes white text readable', () => {
    fc.assert(
      fc.property(color, (accent) => {
        const { fill, onFill } = accentFill(accent)
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
        const { onFill, away } = accentFill(accent)
        expect(contrast(onFill, away)).toBe(21)
      }),
    )
  })
})

test('a readable accent stays as it is; a pale one turns darker, a dark one lighter', () => {
  const light: Rgb = [255, 255, 255]
  expect(accentFill([0, 90, 50])).toEqual({ fill: [0, 90, 50], onFill: [255, 255, 255], away: [0, 0, 0] })
  expect(accentText([0, 90, 50], light)).toEqual([0, 90, 50])
  expect(accentFill([255, 212, 59]).onFill).toEqual([0, 0, 0])
  const onLight = accentText([255, 212, 59], light)
  expect(contrast(onLight, [0, 0, 0])).toBeLessThan(contrast([255, 212, 59], [0, 0, 0]))
  const onDark = accentText([10, 20, 80], [28, 28, 32])
  expect(contrast(onDark, [0, 0, 0])).toBeGreaterThan(contrast([10, 20, 80], [0, 0, 0]))
})

test('the colors of the built-in accent are those made from it', () => {
  const [fill, , , onLight, onDark] = Object.values(accentProperties([0x3d, 0x5a, 0xf1])).map(
    (channels) => `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`,
  )
  const styles = (name: string): string =>
    readFileSync(path.join(import.meta.dirname, '../../src/dialog/styles', name), 'utf8')
  expect(styles('theme.css')).toContain(`--_accent-fill: ${fill}`)
  expect(styles('theme.css')).toContain(`var(--_accent-text-light, ${onLight})`)
  expect(styles('dark.css')).toContain(`var(--_accent-text-dark, ${onDark})`)
})
