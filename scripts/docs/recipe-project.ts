import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from '../repository.ts'
import type { CodeBlock } from './parse-page.ts'

/** Below `docs`, so that imports find what a reader would have installed; git-ignored. */
const scratch = path.join(repositoryRoot, 'docs', 'test-output')

/** A folder with files of a page in it. */
export interface RecipeProject {
  readonly folder: string
  remove(): Promise<void>
}

/** Writes blocks into a fresh folder, each to the file it names. */
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
