import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { proseProblems } from '../check/prose.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const form = /^---\n(?:'@latchkey\/[a-z]+': (?:patch|minor|major)\n)+---\n\n(\S.*)$/su

// A changeset that can't be read stops the release, and a formatter can break one.
test('every changeset can be released, in plain words', async () => {
  const problems: string[] = []
  for await (const file of glob('.changeset/*.md', { cwd: repositoryRoot })) {
    if (file.endsWith('README.md')) continue
    const body = form.exec(await readFile(path.join(repositoryRoot, file), 'utf8'))?.[1]
    if (body === undefined) problems.push(`${file} doesn't have the form of a changeset`)
    else problems.push(...(await proseProblems(file, body, '.md')))
  }
  expect(problems).toEqual([])
})
