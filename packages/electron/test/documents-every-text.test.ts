import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { markdownTable } from '@latchkey/scripts/docs/markdown-table'
import { expect, test } from 'vitest'
import { english } from '../src/texts/load-strings.ts'

const page = path.join(import.meta.dirname, '../../../docs/activation-texts.md')

const tableOf = (texts: readonly (readonly [key: string, text: string])[]): string =>
  markdownTable(
    ['key', 'text'],
    texts.map(([key, text]) => [`\`${key}\``, text.replaceAll('\n', ' ')]),
  )

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
