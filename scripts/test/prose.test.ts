import { describe, expect, test } from 'vitest'
import { proseProblems } from '../check/prose.ts'
import { readMarkdownPages } from '../docs/markdown-pages.ts'

const pages = await readMarkdownPages()

test.each(pages)('$file uses common words and short sentences', async ({ file, text }) => {
  expect(await proseProblems(file, text, '.md')).toEqual([])
})

describe('the check', () => {
  test.each([
    ['Whoever loses the license is told.', 2],
    ['The service is out of reach.', 1],
    [`This sentence ${'goes on and '.repeat(14)}ends.`, 1],
    ['The app opens. The check follows in the background.', 0],
    ['`whoever` in code is fine.', 0],
  ])('counts the problems of "%s"', async (text, count) => {
    expect(await proseProblems('page.md', text, '.md')).toHaveLength(count)
  })
})
