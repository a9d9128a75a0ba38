import { glob } from 'node:fs/promises'
import path from 'node:path'
import MiniSearch from 'minisearch'
import * as z from 'zod'

/** What people who come for one page type into the site's search. */
const pageOf: Readonly<Record<string, string>> = {
  Stripe: 'sell-with',
  Paddle: 'sell-with',
  Gumroad: 'sell-with',
  administrator: 'for-administrators',
  MDM: 'for-administrators',
  upgrade: 'for-customers',
  'switch license': 'for-customers',
  'dead laptop': 'for-customers',
  'lost license key': 'for-customers',
}

const Result = z.object({ id: z.string() })

/**
 * Searches the built site like VitePress does.
 *
 * @throws Error if a page isn't among the first three results.
 */
export async function checkSearch(site: string): Promise<void> {
  for await (const file of glob('assets/chunks/@localSearchIndexroot.*.js', { cwd: site })) {
    const { default: json } = z.object({ default: z.string() }).parse(await import(path.join(site, file)))
    const fields = ['title', 'titles', 'text']
    const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } }
    const index = MiniSearch.loadJSON(json, { fields, searchOptions })
    for (const [words, page] of Object.entries(pageOf)) {
      const found = index.search(words).slice(0, 3)
      const isFound = found.some((result) => Result.parse(result).id.startsWith(`/${page}`))
      if (!isFound) throw new Error(`The search for “${words}” doesn't find ${page} among its first results.`)
    }
    return
  }
  throw new Error('The site has no search.')
}
