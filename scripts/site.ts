import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { execa } from 'execa'
import { checkSearch } from './docs/check-search.ts'
import { readMarkdownPages } from './docs/pages.ts'
import { repositoryRoot } from './workspace/repository.ts'

// `pnpm site`: builds the documentation site into docs/.vitepress/dist; VitePress fails for a dead link, and
// `checkSearch` for a page that the search doesn't find.
// `pnpm site dev`: serves it while you write. `check` is the part that every `pnpm test` runs: comments that TypeDoc can't
// resolve. `pnpm links` checks the pages' links in a third of the time, so only long runs render the pages.

const docs = path.join(repositoryRoot, 'docs')
const run = execa({ cwd: docs, preferLocal: true, stdio: 'inherit' })

/** The packages' READMEs as pages of the site. Their links are rewritten during rendering. */
async function copyReadmes(): Promise<void> {
  const folder = path.join(docs, 'packages')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const { file, text } of await readMarkdownPages()) {
    const name = /^packages\/([^/]+)\/README\.md$/u.exec(file)?.[1]
    if (name !== undefined) await writeFile(path.join(folder, `${name}.md`), text)
  }
}

await copyReadmes()
await rm(path.join(docs, 'api'), { recursive: true, force: true })
await run('typedoc', ['--options', 'typedoc.json'])
// TypeDoc's own list of modules. The start page, docs/api-entries/index.md, replaces it.
await rm(path.join(docs, 'api', 'modules.md'))
const [mode] = process.argv.slice(2)
if (mode === 'dev') await run('vitepress', ['dev', '.'])
else if (mode !== 'check' || process.env['LATCHKEY_LONG'] === '1') {
  await run('vitepress', ['build', '.'])
  await checkSearch(path.join(docs, '.vitepress', 'dist'))
}
