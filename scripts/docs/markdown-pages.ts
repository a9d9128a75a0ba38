import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from '../workspace/repository.ts'

/** A page written by hand. */
export interface MarkdownPage {
  /** Its file, from the repository's root, with `/`. */
  readonly file: string
  readonly text: string
}

const patterns = [
  '*.md',
  '.github/*.md',
  'docs/*.md',
  'docs/api-entries/*.md',
  'docs/decisions/*.md',
  'docs/services/*.md',
  'docs/testing/*.md',
  'docs/tool-chains/*.md',
  'packages/*/README.md',
  'examples/*/README.md',
]

/** Reads every page for people: the guides, the READMEs, and the pages at the root. */
export async function readMarkdownPages(): Promise<readonly MarkdownPage[]> {
  const files: string[] = []
  for await (const file of glob(patterns, { cwd: repositoryRoot })) files.push(file.replaceAll(path.sep, '/'))
  return await Promise.all(
    files
      .sort()
      .map(async (file) => ({ file, text: await readFile(path.join(repositoryRoot, file), 'utf8') })),
  )
}
