import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { mutantLists } from '../mutation/named/mutant-lists.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const testFiles = globSync('{packages/*,examples/*,scripts}/test/**/*.test.ts', {
  cwd: repositoryRoot,
  exclude: (name) => name === 'node_modules',
}).map((file) => file.replaceAll(path.sep, '/'))

// A file that moves or a line that changes would otherwise be noticed by the long run alone.
describe.each(Object.entries(mutantLists))('the mistakes in %s', (list, mutants) => {
  test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    'can be made, and have tests that may notice: %s',
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

  test('have names of their own', () => {
    const names = mutants.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
