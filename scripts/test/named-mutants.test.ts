import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { mutantLists } from '../mutation/named/mutant-lists.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const testFiles = globSync('{packages/*,examples/*,scripts}/test/**/*.test.ts', {
  cwd: repositoryRoot,
  exclude: (name) => name === 'node_modules',
}).map((file) => file.replaceAll(path.sep, '/'))

/** The text of a test file and of the files beside it, whose names can be part of its titles. */
function textAround(testFile: string): string {
  const folder = path.dirname(path.join(repositoryRoot, testFile))
  return globSync('*.ts', { cwd: folder })
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
}

// Without this, only the long run would notice a moved file, a changed line or a renamed test.
describe.each(Object.entries(mutantLists))('the mutants of %s', (list, mutants) => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    'match the source and have tests: %s',
    async (_name, { file, from, tests }) => {
      const text = await readFile(path.join(repositoryRoot, file), 'utf8').catch(() => '')
      const place = `scripts/mutation/named/${list}.ts: the text of "from" occurs exactly once in ${file}`
      expect(text.split(from).length - 1, place).toBe(1)
      for (const filter of tests) {
        expect(
          testFiles.filter((name) => name.includes(filter)),
          `test files named ${filter}`,
        ).not.toEqual([])
      }
    },
  )

  test.each(
    mutants.flatMap(({ name, only, tests }) => (only === undefined ? [] : [[name, only, tests] as const])),
  )('run tests that exist: %s', (_name, only, tests) => {
    const texts = tests.flatMap((filter) => testFiles.filter((name) => name.includes(filter))).map(textAround)
    const titles = only.split('|').map((title) => title.replace(/^\s+|\$$/gu, ''))
    expect(titles.filter((title) => !texts.some((text) => text.includes(title)))).toEqual([])
  })

  test('have unique names', () => {
    const names = mutants.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
