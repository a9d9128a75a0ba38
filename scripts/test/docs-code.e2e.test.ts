import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type CodeBlock, readBlocks } from '../docs/pages.ts'
import { writeRecipeProject } from '../docs/run-in-docs.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import { failureOf } from '../workspace/run-tool.ts'

/** Declarations that pages leave to the reader. */
const leftOut = `
declare global {
  function openMainWindow(): void | Promise<void>
  /** Defined by Forge's Vite plugin. */
  const MAIN_WINDOW_VITE_DEV_SERVER_URL: string | undefined
}
export {}
`

/** Like the declaration in Svelte's types. */
const components = `
declare module '*.vue' {
  const component: import('vue').Component
  export default component
}
`

// CONTRIBUTING shows code of this repository, with imports relative to its place.
const blocks = (await readBlocks()).filter(({ page }) => page !== 'CONTRIBUTING.md')

test('every block of TypeScript and JavaScript compiles against the built packages', async () => {
  const code = blocks.filter(({ language }) => ['ts', 'tsx', 'js'].includes(language))
  expect(code.length).toBeGreaterThan(20)
  const folder = await writeRecipeProject(
    code.map((block, index) => ({ ...block, fileName: fileOf(block, index) })),
  )
  for (const page of new Set(code.map(folderOf))) {
    // Pages without a bundler refer to files in their node_modules.
    await symlink(
      path.join(repositoryRoot, 'docs/node_modules'),
      path.join(folder, page, 'node_modules'),
      'junction',
    )
  }
  await writeFile(path.join(folder, 'left-out.d.ts'), leftOut)
  await writeFile(path.join(folder, 'components.d.ts'), components)
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(compilerSettings))
  expect(await typeErrors(folder)).toBe('')
})

test('the app of the first page and its tests compile with its own tsconfig', async () => {
  const own = blocks.filter(
    ({ page, tab }) => ['docs/start.md', 'docs/testing.md'].includes(page) && tab === null,
  )
  expect(await typeErrors(await writeRecipeProject(own))).toBe('')
})

/** Pages whose code belongs to the app of another page. */
const appOf: Readonly<Record<string, string>> = { 'docs/testing.md': 'docs/start.md' }

/** Blocks of an app, or of the tabs of one name, are in one folder. Those without a file name can't import each other. */
function fileOf(block: CodeBlock, index: number): string {
  return path.join(folderOf(block), block.fileName ?? `block-${index}.${block.language}`)
}

function folderOf({ page, tab }: CodeBlock): string {
  return (tab ?? appOf[page] ?? page).replace('.md', '').replaceAll('/', '-')
}

const compilerSettings = {
  extends: path.join(repositoryRoot, 'tsconfig.base.json'),
  compilerOptions: {
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    moduleDetection: 'force',
    jsx: 'react-jsx',
    allowJs: true,
    checkJs: true,
    types: ['node'],
    isolatedDeclarations: false,
  },
  include: ['.'],
}

async function typeErrors(project: string): Promise<string> {
  const compiler = path.join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  const failure = (await failureOf([process.execPath, compiler, '-p', project])) ?? ''
  // Declarations of other packages aren't checked, although the first page's own settings include them.
  return failure
    .split('\n')
    .filter((line) => !line.startsWith('node_modules/.pnpm/'))
    .join('\n')
}
