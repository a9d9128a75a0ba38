import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitContent } from '../../../src/main/window/activation-window-view.ts'

const area = { x: 0, y: 25, width: 1440, height: 875 }

test('a window that grows keeps its top edge', () => {
  const content = { x: 488, y: 200, width: 464, height: 436 }
  expect(fitContent(content, 630, 0, area)).toEqual({ ...content, height: 630 })
})

test('near the lower edge it moves up as far as it has to', () => {
  const content = { x: 488, y: 400, width: 464, height: 436 }
  expect(fitContent(content, 630, 28, area)).toEqual({ ...content, y: 270, height: 630 })
})

test('a page higher than the display is cut to it, below the frame', () => {
  const content = { x: 488, y: 400, width: 464, height: 436 }
  expect(fitContent(content, 2_000, 28, area)).toEqual({ ...content, y: 53, height: 847 })
})

test('it never leaves the display, wherever it was', () => {
  const number = fc.integer({ min: 0, max: 3_000 })
  fc.assert(
    fc.property(number, number, fc.integer({ min: 0, max: 60 }), (y, height, frameHeight) => {
      const fitted = fitContent({ x: 0, y, width: 464, height: 436 }, height, frameHeight, area)
      expect(fitted.y - frameHeight).toBeGreaterThanOrEqual(area.y)
      expect(fitted.y + fitted.height).toBeLessThanOrEqual(area.y + area.height)
    }),
  )
})
