import { proseTerms } from './prose-terms.ts'

const terms = proseTerms.map(([wrong, right]) => [new RegExp(wrong, 'iu'), right] as const)
const comment = /^\s*(?:\/\/|\/\*\*?|\*)(.*)$/u
const title = /^\s*(?:test|it|describe)[.\w]*\((['"`])(.*?)\1/u

/**
 * Finds words that we avoid in the comments and test titles of a source file.
 *
 * @returns one line for each problem: where it is, and what to write instead.
 */
export function codeProseProblems(name: string, source: string): readonly string[] {
  return source.split('\n').flatMap((line, index) => {
    const text = comment.exec(line)?.[1] ?? title.exec(line)?.[2]
    if (text === undefined) return []
    const found = terms.filter(([wrong]) => wrong.test(text))
    return found.map(([wrong, right]) => `${name}:${index + 1} ${wrong.source}: write "${right}"`)
  })
}
