import GithubSlugger from 'github-slugger'
import { Lexer, type Token, walkTokens } from 'marked'
import type { MarkdownPage } from './markdown-pages.ts'

/** A fenced block of a page. */
export interface CodeBlock {
  /** The page's file, from the repository's root. */
  readonly page: string
  /** First word after the fence, such as `ts`; empty if there is none. */
  readonly language: string
  /** The words after it, such as `illustration`. */
  readonly note: string
  /**
   * The file that the first line names, as in `// src/main.ts`; `null` if it names none. JSON has no comments, so the name
   * of its file is after the fence, as in `json package.json`.
   */
  readonly fileName: string | null
  /** The code, without the line that names its file. */
  readonly code: string
}

/** What tests check in a page. */
export interface ParsedPage {
  readonly file: string
  readonly blocks: readonly CodeBlock[]
  /** Targets of links and images, as written. */
  readonly links: readonly string[]
  /** What can follow `#` in a link to this page. */
  readonly anchors: ReadonlySet<string>
}

const fileLine = /^(?:\/\/ |<!-- )([\w./-]+\.\w+)(?: -->)?\n/u

/** Parses a page. */
export function parsePage({ file, text }: MarkdownPage): ParsedPage {
  const blocks: CodeBlock[] = []
  const links: string[] = []
  const anchors = new Set<string>()
  const slugger = new GithubSlugger()
  void walkTokens(new Lexer().lex(withoutFrontMatter(text)), (token) => {
    if (token.type === 'code') blocks.push(blockOf(file, token.lang ?? '', token.text))
    if (token.type === 'link' || token.type === 'image') links.push(token.href)
    if (token.type === 'heading') anchors.add(slugger.slug(plainText(token.tokens ?? [])))
    if (token.type === 'html') {
      for (const [, id] of token.text.matchAll(/\sid="([^"]+)"/gu)) anchors.add(id)
      for (const [, target] of token.text.matchAll(/\s(?:src|href)="([^"]+)"/gu)) links.push(target)
    }
  })
  return { file, blocks, links, anchors }
}

function blockOf(page: string, info: string, text: string): CodeBlock {
  const [language = '', ...words] = info.trim().split(/\s+/u)
  const note = words.join(' ')
  if (language === 'json') return { page, language, note, fileName: note || null, code: `${text}\n` }
  const fileName = fileLine.exec(`${text}\n`)?.[1] ?? null
  const code = fileName === null ? text : text.slice(text.indexOf('\n') + 1)
  return { page, language, note, fileName, code: `${code}\n` }
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n.*?\n---\n/su, '')
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined ? plainText(token.tokens) : textOf(token),
    )
    .join('')
}

function textOf(token: Token): string {
  return 'text' in token && token.type !== 'html' ? token.text : ''
}
