import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Lexer, walkTokens } from 'marked'
import { repositoryRoot } from '../workspace/repository.ts'

const patterns = [
  '*.md',
  '.github/*.md',
  'docs/*.md',
  'docs/api-entries/*.md',
  'docs/decisions/*.md',
  'docs/services/*.md',
  'docs/tool-chains/*.md',
  'packages/*/README.md',
  'examples/*/README.md',
]

/** A fenced block of a page. */
export interface CodeBlock {
  /** The page's file, from the repository's root. */
  readonly page: string
  /** First word after the fence, such as `ts`; empty if there is none. */
  readonly language: string
  /** The words after it, such as `illustration`. */
  readonly note: string
  /** First word of its tab in a code group, as in `tsx [React]`: a project of its own. Otherwise, and for Vitest, `null`. */
  readonly tab: string | null
  /**
   * The file that the first line names, as in `// src/main.ts`; `null` if it names none. JSON has no comments, so the name
   * of its file is after the fence, as in `json package.json`.
   */
  readonly fileName: string | null
  /** The code, without the line that names its file. */
  readonly code: string
}

const fileLine = /^(?:\/\/ |<!-- )([\w./-]+\.\w+)(?: -->)?\n/u

/**
 * Reads the fenced blocks of pages written by hand.
 *
 * @param files from the repository's root. @default the guides, the READMEs, and the pages at the root
 */
export async function readBlocks(...files: readonly string[]): Promise<readonly CodeBlock[]> {
  const found = [...files]
  if (files.length === 0) for await (const file of glob(patterns, { cwd: repositoryRoot })) found.push(file)
  const pages = await Promise.all(
    found.sort().map(async (name) => {
      const text = await readFile(path.join(repositoryRoot, name), 'utf8')
      const blocks: CodeBlock[] = []
      void walkTokens(new Lexer().lex(text.replace(frontMatter, '')), (token) => {
        if (token.type !== 'code') return
        blocks.push(blockOf(name.replaceAll(path.sep, '/'), token.lang ?? '', token.text))
      })
      return blocks
    }),
  )
  return pages.flat()
}

const frontMatter = /^---\n.*?\n---\n/su

function blockOf(page: string, info: string, text: string): CodeBlock {
  const [fence = '', name = 'Vitest'] = info.split(/\[(\w+).*\]/u)
  const tab = name === 'Vitest' ? null : name
  const [language = '', ...words] = fence.trim().split(/\s+/u)
  const note = words.join(' ')
  if (language === 'json') return { page, language, note, tab, fileName: note || null, code: `${text}\n` }
  const fileName = fileLine.exec(`${text}\n`)?.[1] ?? null
  const code = fileName === null ? text : text.slice(text.indexOf('\n') + 1)
  return { page, language, note, tab, fileName, code: `${code}\n` }
}

/** A command of a page. */
export interface PageCommand {
  /** As in the page, on one line. */
  readonly text: string
  /** Environment variables in front of it, such as `PORT=8080`. */
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
}

/** Returns the commands of `sh` blocks that aren't illustrations, one line each, without comments and variables. */
export function commandsOf(blocks: readonly CodeBlock[]): readonly string[] {
  return blocks
    .filter(({ language, note }) => language === 'sh' && note !== 'illustration')
    .flatMap(({ code }) => code.replace(/\\\n\s*/gu, '').split('\n'))
    .map((line) => line.replace(/(?:^|\s)#.*$/u, '').trim())
    .filter((line) => line !== '' && !line.startsWith('export '))
}

/** Splits a command like a shell, as far as pages need it: quotes, and variables in front. */
export function parseCommand(text: string): PageCommand {
  const parts = [...text.matchAll(/(?:'[^']*'|[^\s'])+/gu)].map(([part]) => part.replaceAll("'", ''))
  const first = parts.findIndex((part) => !/^[A-Z_]+=/u.test(part))
  const settings = parts.slice(0, first).map((part) => part.split(/=(.*)/su).slice(0, 2))
  return { text, env: Object.fromEntries(settings), words: parts.slice(first) }
}

/** Returns the outputs that pages show: a `text output` block after the block that ends with the command. */
export function outputsOf(blocks: readonly CodeBlock[]): ReadonlyMap<string, string> {
  const outputs = new Map<string, string>()
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    if (block.language !== 'text' || block.note !== 'output') continue
    const command = before === undefined ? undefined : commandsOf([before]).at(-1)
    if (command === undefined) throw new Error(`${block.page} shows the output of no command.`)
    outputs.set(command, block.code)
  }
  return outputs
}

/** Removes what differs between runs from an output. */
export function withoutChance(output: string): string {
  return output
    .trim()
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, '<time>')
    .replace(/https?:\/\/[\w.:-]+/gu, '<origin>')
    .replace(/\d+ ms/gu, '<n> ms')
    .replace(/\d+ s (?:behind|ahead of)/gu, '<n> s off')
    .replace(/Latchkey test \[[0-9a-f]{16}\]/gu, 'Latchkey test <name>')
    .replace(/"(kid|x|d)":"[\w-]+"/gu, '"$1":"<key>"')
    .replace(/signed with the key [\w-]+…?/gu, 'signed with the key <key>')
    .replace(/ {2,}/gu, '  ')
}
