import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from '../workspace/repository.ts'
import type { CodeBlock } from './parse-page.ts'
import { nodeArguments, runNode } from './run-in-docs.ts'

/** Inside `docs`, so that imports resolve to what a reader would have installed; ignored by Git. */
const scratch = path.join(repositoryRoot, 'docs', 'test-output')

/** A folder with files from a page. */
export interface RecipeProject {
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
