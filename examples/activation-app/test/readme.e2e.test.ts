import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const repository = path.join(import.meta.dirname, '../../..')
// Below the example, so that imports find what an app would have installed.
const scratch = path.join(import.meta.dirname, '../test-output')

let readme: string
let folder: string

beforeAll(async () => {
  readme = await readFile(path.join(repository, 'README.md'), 'utf8')
  await mkdir(scratch, { recursive: true })
  folder = await mkdtemp(path.join(scratch, 'readme-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** What the README leaves to the reader. */
const leftOut = `
declare global {
  function openMainWindow(): void | Promise<void>
}
export {}
`

test('the integration in the README type-checks against the built packages', async () => {
  const blocks = Array.from(readme.matchAll(/```ts\n\/\/ (\S+\.ts)\n(.*?)```/gsu))
  expect(blocks.map(([, name]) => name)).toEqual(['main.ts', 'preload.ts', 'renderer.ts'])
  for (const [, name = '', code = ''] of blocks) await writeFile(path.join(folder, name), code)
  await writeFile(path.join(folder, 'left-out.d.ts'), leftOut)
  const tsconfig = {
    extends: path.join(repository, 'tsconfig.base.json'),
    compilerOptions: {
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      types: ['node'],
      // Our own declarations are part of what is checked.
      skipLibCheck: false,
    },
    include: ['.'],
  }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  expect(await typeErrors(folder)).toBe('')
})

test('the commands in the README are scripts of the repository', async () => {
  const { scripts } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8'))
  const named = Array.from(readme.matchAll(/^npx pnpm (\S+)/gmu), ([, name]) => name)
  expect(named).toEqual(['demo', 'test'])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
})

test('every file the README points to is there', () => {
  const links = /(?:\]\(|src=")(?!https?:|#)([^)#"]+)/gu
  const targets = Array.from(readme.matchAll(links), ([, target = '']) => target)
  expect(targets).toContain('docs/activation-screen.png')
  expect(targets.filter((target) => !existsSync(path.join(repository, target)))).toEqual([])
})

async function typeErrors(project: string): Promise<string> {
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc')
  return await new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', project], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}
