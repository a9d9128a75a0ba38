import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
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

/**
 * Returns the arguments with which Node runs a page's command: `npm run build`, `npx vitest run`, `latchkey doctor`.
 *
 * @throws Error for a command that can't run here.
 */
export function nodeArguments(words: readonly string[]): readonly string[] {
  const [program = '', ...rest] = words
  if (program === 'npm' && rest[0] === 'run') return ['--run', ...rest.slice(1)]
  const [name = '', ...args] = program === 'npx' ? rest : words
  const file = programs[name]
  if (file === undefined) throw new Error(`Nobody knows how to run this here: ${words.join(' ')}`)
  return [file, ...args]
}

/** Runs Node until it exits. @returns its output. @throws Error with the output if it fails. */
export async function runNode(
  args: readonly string[],
  { cwd, env = process.env }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  const { exitCode, all } = await execa(process.execPath, args, {
    cwd,
    env,
    extendEnv: false,
    input: '',
    all: true,
    reject: false,
    stripFinalNewline: false,
  })
  if (exitCode === 0) return all
  throw new Error(`${args.join(' ')} ended with ${exitCode}:\n${all}`)
}

/** Inside `docs`, so that imports resolve to what a reader would have installed; ignored by Git. */
const scratch = path.join(repositoryRoot, 'docs', 'test-output')

/** Writes blocks into a new folder, each to the file it names. The folder is removed after the test. */
export async function writeRecipeProject(blocks: readonly CodeBlock[]): Promise<string> {
  await mkdir(scratch, { recursive: true })
  const folder = await mkdtemp(path.join(scratch, 'recipe-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const { fileName, code } of blocks) {
    if (fileName === null) continue
    const file = path.join(folder, fileName)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, code)
  }
  return folder
}

/**
 * Writes an app and builds it as its page says.
 *
 * @param main replaces the page's own main process, so that a test can control the app.
 */
export async function buildRecipeApp(blocks: readonly CodeBlock[], main?: string): Promise<string> {
  const folder = await writeRecipeProject(blocks)
  if (main !== undefined) await writeFile(path.join(folder, 'src/main.ts'), main)
  await runNode(nodeArguments(['npm', 'run', 'build']), { cwd: folder })
  return folder
}
