import type { CodeBlock } from './parse-page.ts'

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
    .replace(/latchkey doctor [0-9a-f]{8}/gu, 'latchkey doctor <name>')
    .replace(/"(kid|x|d)":"[\w-]+"/gu, '"$1":"<key>"')
    .replace(/signed with the key [\w-]+…?/gu, 'signed with the key <key>')
    .replace(/ {2,}/gu, '  ')
}
