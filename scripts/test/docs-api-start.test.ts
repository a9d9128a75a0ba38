import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../workspace/repository.ts'

const folder = path.join(repositoryRoot, 'docs', 'api-entries')

test('the API’s start page says when to open each of its pages', async () => {
  const modules: string[] = []
  for await (const file of glob('**/*.ts', { cwd: folder })) {
    modules.push(file.replaceAll(path.sep, '/').replace(/(?:\/index)?\.ts$/u, ''))
  }
  const text = await readFile(path.join(folder, 'index.md'), 'utf8')
  const linked = Array.from(text.matchAll(/\{@link(?:code)? "?([\w/-]+)"?! \|/gu), ([, name]) => name)
  expect(linked.sort()).toEqual(modules.sort())
})
