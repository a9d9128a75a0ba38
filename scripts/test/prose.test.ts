import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { codeProseProblems } from '../check/code-prose.ts'
import { proseProblems } from '../check/prose.ts'
import { readMarkdownPages } from '../docs/markdown-pages.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const pages = await readMarkdownPages()

test.each(pages)('$file uses common words and short sentences', async ({ file, text }) => {
  expect(await proseProblems(file, text, '.md')).toEqual([])
})

test('comments and test titles use common words', () => {
  const sources = globSync(['{packages,examples}/*/{src,test,bench,scripts}/**/*.ts', 'scripts/**/*.ts'], {
    cwd: repositoryRoot,
    exclude: (name) => name === 'node_modules',
  })
  const problems = sources.flatMap((name) =>
    codeProseProblems(name, readFileSync(path.join(repositoryRoot, name), 'utf8')),
  )
  expect(sources.length).toBeGreaterThan(500)
  expect(problems).toEqual([])
})

test('the check of comments reads comments and titles, and no code', () => {
  const source = [
    '// Whoever asks.',
    "const whoever = 'whoever'",
    "test('whoever asks', () => {",
    ' * Asks.',
  ].join('\n')
  expect(codeProseProblems('a.ts', source)).toEqual([
    expect.stringMatching(/^a\.ts:1 /u),
    expect.stringMatching(/^a\.ts:3 /u),
  ])
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
