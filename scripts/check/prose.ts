import { createRequire } from 'node:module'
import { TextlintKernel, type TextlintKernelPlugin, type TextlintKernelRule } from '@textlint/kernel'
import { maxWordsInSentence, proseTerms } from './prose-terms.ts'

// Node and Vitest resolve the default export of CommonJS modules like these differently. `require` works in both.
const load = createRequire(import.meta.url)
const markdown: TextlintKernelPlugin['plugin'] = load('@textlint/textlint-plugin-markdown').default
const plainText: TextlintKernelPlugin['plugin'] = load('@textlint/textlint-plugin-text').default
const maxWordCount: TextlintKernelRule['rule'] = load('textlint-rule-en-max-word-count')
const terminology: TextlintKernelRule['rule'] = load('textlint-rule-terminology').default

const kernel = new TextlintKernel()

/**
 * Finds words and sentences that break our writing rules.
 *
 * @param ext `.md` ignores code, link addresses and block quotes.
 * @returns one line for each problem: where it is, and what is wrong.
 */
export async function proseProblems(
  name: string,
  text: string,
  ext: '.md' | '.txt',
): Promise<readonly string[]> {
  const { messages } = await kernel.lintText(text, {
    filePath: name,
    ext,
    plugins: [
      { pluginId: 'markdown', plugin: markdown },
      { pluginId: 'text', plugin: plainText },
    ],
    rules: [
      {
        ruleId: 'terminology',
        rule: terminology,
        options: { defaultTerms: false, terms: proseTerms },
      },
      { ruleId: 'sentence', rule: maxWordCount, options: { max: maxWordsInSentence } },
    ],
  })
  return messages.map(({ line, message }) => `${name}:${line} ${message}`)
}
