import { describe, expect, test } from 'vitest'
import { createReport } from '../bench/create-report.ts'
import { expectMainWindow } from '../bench/expect-main-window.ts'
import { roundForReading, spreadOf } from '../bench/statistics.ts'

describe('a series of measurements', () => {
  test('is reported as its median and its middle half', () => {
    expect(spreadOf([5, 1, 3])).toEqual({ median: 3, lowerQuartile: 2, upperQuartile: 4 })
    expect(spreadOf([4, 1, 2, 3])).toMatchObject({ median: 2.5 })
    expect(spreadOf([7])).toEqual({ median: 7, lowerQuartile: 7, upperQuartile: 7 })
  })

  test('without values has no median', () => {
    expect(() => spreadOf([])).toThrow(RangeError)
  })

  test('is printed with three significant digits', () => {
    expect(['0.01234', '1.005', '12.345', '1234.5'].map((text) => roundForReading(Number(text)))).toEqual([
      '0.0123',
      '1',
      '12.3',
      '1235',
    ])
  })
})

describe('a comparison', () => {
  const quietReport = () => createReport(false, () => {})

  test('measures both variants in pairs, in alternating order', async () => {
    const order: string[] = []
    const contender = (name: string, cost: number) => ({
      name,
      measure: async () => {
        order.push(name)
        return cost
      },
    })
    const report = quietReport()
    const result = await report.compare({
      name: 'launch',
      unit: 'ms',
      pairs: 4,
      baseline: contender('bare', 200),
      candidate: contender('licensed', 210),
    })
    expect(order).toEqual(['bare', 'licensed', 'licensed', 'bare', 'bare', 'licensed', 'licensed', 'bare'])
    expect(result).toEqual({ baselineMedian: 200, candidateMedian: 210, ratio: 1.05 })
  })

  test('uses the ratio within each pair, so a slow moment of the machine affects neither', async () => {
    const series = (values: number[]) => async () => values.shift() ?? Number.NaN
    const { ratio } = await quietReport().compare({
      name: 'launch',
      unit: 'ms',
      pairs: 3,
      baseline: { name: 'bare', measure: series([100, 1_000, 100]) },
      candidate: { name: 'licensed', measure: series([110, 1_100, 110]) },
    })
    expect(ratio).toBeCloseTo(1.1)
  })

  test('writes every figure to its section of the report', async () => {
    const report = quietReport()
    report.section('Sizes')
    report.figure('main', 40, 'kB')
    await report.repeat('start', 'ms', 3, async () => 7)
    expect(report.figures).toEqual([
      { section: 'Sizes', name: 'main', value: 40, unit: 'kB' },
      { section: 'Sizes', name: 'start', value: 7, unit: 'ms', note: 'middle half 7 to 7' },
    ])
  })
})

describe('a measured launch', () => {
  test('counts when it opened the main window', () => {
    expect(() => expectMainWindow('file:///app/out/renderer/index.html')).not.toThrow()
  })

  test.each(['https://activation.latchkey.invalid/', 'file:///app/out/other.html', ''])(
    'is refused when it opened "%s"',
    (url) => {
      expect(() => expectMainWindow(url)).toThrow('not the main window')
    },
  )
})
