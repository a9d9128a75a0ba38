import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../workspace/repository.ts'

const files = globSync('packages/*/{src,test}/**/*.ts', {
  cwd: repositoryRoot,
  exclude: (name) => name === 'node_modules',
}).map((file) => file.replaceAll(path.sep, '/'))

test('every guard on the page about mutation testing names files that exist', () => {
  const page = readFileSync(path.join(repositoryRoot, 'docs', 'mutation-testing.md'), 'utf8')
  const rows = [...page.matchAll(/^\|[^|]+\| `([^`|]+\/[^`|]+)` +\| `([^`|]+)` +\|$/gmu)]
  const missing = rows.flatMap(([, source = '', test = '']) => [
    ...(files.some((file) => file.replace('/src/', '/').endsWith(`/${source}`)) ? [] : [source]),
    ...(files.some((file) => path.posix.basename(file).startsWith(`${test}.`)) ? [] : [test]),
  ])
  expect(rows.length).toBeGreaterThan(100)
  expect(missing).toEqual([])
})
