import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { english } from '../src/texts/load-strings.ts'

const page = path.join(import.meta.dirname, '../../../docs/activation-texts.md')

function tableOf(texts: readonly (readonly [key: string, text: string])[]): string {
  const cells = [
    ['key', 'text'] as const,
    ...texts.map(([key, text]) => [`\`${key}\``, text.replaceAll('\n', ' ')] as const),
  ]
  const keyWidth = Math.max(...cells.map(([key]) => key.length))
  const textWidth = Math.max(...cells.map(([, text]) => text.length))
  const rows = cells.map(([key, text]) => `| ${key.padEnd(keyWidth)} | ${text.padEnd(textWidth)} |`)
  return [rows[0], `| ${'-'.repeat(keyWidth)} | ${'-'.repeat(textWidth)} |`, ...rows.slice(1)].join('\n')
}

// `pnpm unit documents-every -u` updates the page.
test('the page of texts has every key with its English text', async () => {
  const texts = Object.entries(english.strings).filter(([key]) => !key.startsWith('problems.'))
  const isOffline = ([key]: readonly [string, string]): boolean => key.startsWith('offline.')

  const written = await readFile(page, 'utf8')
  const [guide = ''] = written.split('## Every text\n')
  await expect(`${guide}## Every text

These are the keys with the English texts.

${tableOf(texts.filter((text) => !isOffline(text)))}

## Activation without internet

${tableOf(texts.filter(isOffline))}
`).toMatchFileSnapshot(page)
})
