import { describe, expect, test } from 'vitest'
import { createReport } from '../bench/create-report.ts'
import { mergeIntoPage } from '../bench/page/benchmarks-page.ts'
import { describeCircumstances } from '../bench/page/circumstances.ts'
import { renderTopic } from '../bench/page/render-topic.ts'

const quietReport = () => createReport(false, () => {})

describe('the page of benchmarks', () => {
  test('replaces new figures, keeps the others, and removes those of deleted benchmarks', () => {
    const known = ['launch', 'sizes', 'brand-new']
    const first = new Map([
      ['launch', 'old launch'],
      ['sizes', 'old sizes'],
      ['retired', 'old and gone'],
    ])
    const page = mergeIntoPage('', first, [...known, 'retired'])
    const parts = new Map([
      ['launch', 'new launch'],
      ['brand-new', 'first figures'],
    ])
    const merged = mergeIntoPage(page, parts, known)
    expect(merged).toContain('old sizes')
    expect(merged).toContain('new launch')
    expect(merged).toContain('first figures')
    expect(merged).not.toMatch(/old launch|old and gone|retired/)
    expect(mergeIntoPage(merged, new Map(), known)).toBe(merged)
  })

  test('has tables of figures, named ratios, and text between them', async () => {
    const report = quietReport()
    report.section('From start() to <a window>')
    report.figure('p99', 12.34, 'ms', 'of 100 | each')
    report.say('This system does not tell.')
    await report.compare({
      name: 'launch',
      unit: 'ms',
      pairs: 2,
      baseline: { name: 'bare', measure: async () => 100 },
      candidate: { name: 'licensed', measure: async () => 110 },
    })
    const part = renderTopic({ topic: 'unheard-of', told: report.told, circumstances: 'Measured.' })
    expect(part.split('\n').filter((line) => line !== '')).toEqual([
      '## unheard-of',
      '### From start() to \\<a window\\>',
      '| what | figure | note |',
      '| :--- | ---: | :--- |',
      '| p99 | 12.3 ms | of 100 \\| each |',
      'This system does not tell.',
      '| what | figure | note |',
      '| :--- | ---: | :--- |',
      '| launch, 2 pairs: bare | 100 ms | middle half 100 to 100 |',
      '| launch, 2 pairs: licensed | 110 ms | middle half 110 to 110 |',
      '| launch, 2 pairs: ratio | **1.1 ×** | middle half 1.1 to 1.1 |',
      'Measured.',
    ])
  })

  test('names the machine and the command, and says if the machine was busy', () => {
    const circumstances = { machine: 'A chip, 2 cores', versions: 'Linux 6, Node 24', commit: 'abc1234' }
    const quiet = describeCircumstances({ ...circumstances, load: null }, 'pnpm bench walk', '2026-11-21')
    expect(quiet).toBe(
      'Measured on 2026-11-21 by `pnpm bench walk` at commit abc1234: A chip, 2 cores; Linux 6, Node 24.',
    )
    const busy = describeCircumstances({ ...circumstances, load: 7.25 }, 'pnpm bench walk', '2026-11-21')
    expect(busy).toMatch(/busy with other things .*load 7\.3/)
  })
})
