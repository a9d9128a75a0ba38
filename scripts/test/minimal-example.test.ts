import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { commandsOf, readBlocks } from '../docs/pages.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const folder = path.join(repositoryRoot, 'examples', 'minimal')

// After a change of the page, `npx pnpm unit minimal-example -u` writes the example's files.
test('the minimal example is the app of the first page', async () => {
  const blocks = await readBlocks('docs/start.md')
  const written = ['README.md', 'package.json']
  for (const { fileName, code } of blocks) {
    if (fileName === null || fileName === 'package.json') continue
    written.push(fileName)
    await expect(`${code.trimEnd()}\n`).toMatchFileSnapshot(path.join(folder, fileName))
  }
  const { devDependencies, ...manifest } = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  )
  expect(manifest).toEqual(JSON.parse(blocks.find(({ fileName }) => fileName === 'package.json')?.code ?? ''))
  const install = commandsOf(blocks).find((command) => command.startsWith('npm install --save-dev '))
  expect(Object.keys(devDependencies)).toEqual(install?.split(' ').slice(3).sort())

  const options = { cwd: folder, exclude: ['node_modules', 'out'] }
  for await (const file of glob('**/*.*', options)) expect(written).toContain(file.replaceAll(path.sep, '/'))
})
