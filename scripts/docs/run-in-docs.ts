import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { execa } from 'execa'
import { repositoryRoot } from '../workspace/repository.ts'
import type { CodeBlock } from './pages.ts'

const docsModules = path.join(repositoryRoot, 'docs', 'node_modules')

/** Where `npx` would find the programs used in pages. */
const programs: Readonly<Record<string, string>> = {
  vitest: path.join(docsModules, 'vitest', 'vitest.mjs'),
  jest: path.join(docsModules, 'jest', 'bin', 'jest.js'),
  playwright: path.join(docsModules, '@playwright', 'test', 'cli.js'),
  'latchkey-emulator': path.join(repositoryRoot, 'packages', 'emulator', 'dist', 'bin.js'),
  'latchkey-gateway': path.join(repositoryRoot, 'packages', 'gateway', 'dist', 'bin.js'),
  latchkey: path.join(repositoryRoot, 'packages', 'cli', 'dist', 'bin.js'),
}

/** How a program exited. */
export interface RunOutcome {
  readonly exitCode: number | null
  readonly output: string
}

/**
 * Returns the arguments with which Node runs a page's command: `npm run build`, `npx vitest run`, `latchkey doctor`.
 *
 * @returns `null` for a command that can't run here.
 */
export function nodeArguments(words: readonly string[]): readonly string[] | null {
  const [program = '', ...rest] = words
  if (program === 'npm') return rest[0] === 'run' ? ['--run', ...rest.slice(1)] : null
  const [name = '', ...args] = program === 'npx' ? rest : words
  const file = programs[name]
  return file === undefined ? null : [file, ...args]
}

/** Runs Node and waits until it exits. */
export async function runNode(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<RunOutcome> {
  const { cwd, env = process.env } = options
  const result = await execa(process.execPath, args, {
    cwd,
    env,
    extendEnv: false,
    input: '',
    all: true,
    reject: false,
    stripFinalNewline: false,
  })
  return { exitCode: result.exitCode ?? null, output: result.all }
}

/** Inside `docs`, so that imports resolve to what a reader would have installed; ignored by Git. */
const scratch = path.join(repositoryRoot, 'docs', 'test-output')

/** A folder with files from a page. */
interface RecipeProject {
  readonly folder: string
  remove(): Promise<void>
}

/** Writes blocks into an empty folder, each to the file it names. */
export async function writeRecipeProject(blocks: readonly CodeBlock[]): Promise<RecipeProject> {
  await mkdir(scratch, { recursive: true })
  const folder = await mkdtemp(path.join(scratch, 'recipe-'))
  for (const { fileName, code } of blocks) {
    if (fileName === null) continue
    const file = path.join(folder, fileName)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, code)
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * Writes an app and builds it as its page says.
 *
 * @param main replaces the page's own main process, so that a test can control the app.
 * @throws Error with the output if the build fails.
 */
export async function buildRecipeApp(blocks: readonly CodeBlock[], main?: string): Promise<RecipeProject> {
  const mainFile = 'src/main.ts'
  const ownMain: CodeBlock = {
    page: 'a test',
    language: 'ts',
    note: '',
    tab: null,
    fileName: mainFile,
    code: main ?? '',
  }
  const others = blocks.filter(({ fileName }) => fileName !== mainFile)
  const project = await writeRecipeProject(main === undefined ? blocks : [...others, ownMain])
  const args = nodeArguments(['npm', 'run', 'build']) ?? []
  const { exitCode, output } = await runNode(args, { cwd: project.folder })
  if (exitCode === 0) return project
  await project.remove()
  throw new Error(`The app does not build:\n${output}`)
}
