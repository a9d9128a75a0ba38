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
  const blocks = codeBlocks(readme)
  expect(blocks.map(({ name }) => name)).toEqual(['main.ts', 'lost-license.ts', 'preload.ts', 'renderer.ts'])
  expect(await typeErrorsOf(blocks)).toBe('')
})

test('so does every recipe in the guides', async () => {
  const blocks = codeBlocks(await readFile(path.join(repository, 'docs/activation-screen.md'), 'utf8'))
  expect(blocks.map(({ name }) => name)).toEqual(expect.arrayContaining(['react.tsx', 'vue.ts', 'svelte.ts']))
  expect(await typeErrorsOf(blocks)).toBe('')
})

test('the commands in the README are scripts of the repository', async () => {
  const { scripts } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8'))
  const named = Array.from(readme.matchAll(/^npx pnpm (\S+)/gmu), ([, name]) => name)
  expect(named).toEqual(['demo', 'test'])
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
})

test.each(['README.md', 'docs/activation-screen.md'])(
  'every file that %s points to is there',
  async (page) => {
    const file = path.join(repository, page)
    const links = /(?:\]\(|src=")(?!https?:|#)([^)#"]+)/gu
    const targets = Array.from((await readFile(file, 'utf8')).matchAll(links), ([, target = '']) => target)
    expect(targets.length).toBeGreaterThan(1)
    expect(targets.filter((target) => !existsSync(path.join(path.dirname(file), target)))).toEqual([])
  },
)

interface CodeBlock {
  readonly name: string
  readonly code: string
}

/** The code of a page that names its file in the first line. */
function codeBlocks(page: string): readonly CodeBlock[] {
  return Array.from(page.matchAll(/```tsx?\n\/\/ (\S+\.tsx?)\n(.*?)```/gsu), ([, name = '', code = '']) => ({
    name,
    code,
  }))
}

async function typeErrorsOf(blocks: readonly CodeBlock[]): Promise<string> {
  const project = await mkdtemp(path.join(folder, 'project-'))
  for (const { name, code } of blocks) await writeFile(path.join(project, name), code)
  await writeFile(path.join(project, 'left-out.d.ts'), leftOut)
  const tsconfig = {
    extends: path.join(repository, 'tsconfig.base.json'),
    compilerOptions: {
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'Bundler',
      jsx: 'react-jsx',
      types: ['node'],
      isolatedDeclarations: false,
      // Our own declarations are part of what is checked.
      skipLibCheck: false,
    },
    include: ['.'],
  }
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
  return await typeErrors(project)
}

async function typeErrors(project: string): Promise<string> {
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc')
  return await new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', project], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}
