import type { CodeBlock } from './parse-page.ts'

/** The commands in blocks of `sh` that are no illustration, one line each, without comments and settings. */
export function commandsOf(blocks: readonly CodeBlock[]): readonly string[] {
  return blocks
    .filter(({ language, note }) => language === 'sh' && note !== 'illustration')
    .flatMap(({ code }) => code.replace(/\\\n\s*/gu, '').split('\n'))
    .map((line) => line.replace(/(?:^|\s)#.*$/u, '').trim())
    .filter((line) => line !== '' && !line.startsWith('export '))
}
