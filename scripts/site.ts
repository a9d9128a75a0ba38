import { copyFile, glob, mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { execa } from 'execa'
import { checkSearch } from './docs/check-search.ts'
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
  for await (const file of glob('packages/*/README.md', { cwd: repositoryRoot })) {
    const name = path.basename(path.dirname(file))
    await copyFile(path.join(repositoryRoot, file), path.join(folder, `${name}.md`))
  }
}

/** Expects that each export is on a page: the files of docs/api-entries split large modules by what readers look for. */
async function checkApiEntries(): Promise<void> {
  const entries: string[] = []
  const folder = path.join(docs, 'api-entries')
  for await (const file of glob('**/*.ts', { cwd: folder }))
    entries.push(await readFile(path.join(folder, file), 'utf8'))
  const listed = new Map<string, Set<string>>()
  for (const [, names = '', module = ''] of entries
    .join('\n')
    .matchAll(/export (?:type )?\{([^}]+)\} from '([^']+)'/gu)) {
    for (const name of namesIn(names)) listed.set(module, (listed.get(module) ?? new Set()).add(name))
  }
  for (const [module, names] of listed) {
    const [, name = '', entry = 'index'] = module.split('/')
    const declarations = path.join(repositoryRoot, 'packages', name, 'dist', `${entry}.d.ts`)
    const exported = (await readFile(declarations, 'utf8')).matchAll(/^export \{([^}]+)\};?$/gmu)
    const missing = [...exported].flatMap(([, list = '']) => namesIn(list)).filter((name) => !names.has(name))
    if (missing.length > 0)
      throw new Error(`No file of docs/api-entries has ${missing.join(', ')} of ${module}.`)
  }
}

function namesIn(list: string): readonly string[] {
  return list.split(',').flatMap((item) => /(\w+)\s*$/u.exec(item)?.[1] ?? [])
}

await copyReadmes()
await checkApiEntries()
await rm(path.join(docs, 'api'), { recursive: true, force: true })
await run('typedoc', ['--options', 'typedoc.config.js'])
// TypeDoc's own list of modules. The start page, docs/api-entries/index.md, replaces it.
await rm(path.join(docs, 'api', 'modules.md'))
const [mode] = process.argv.slice(2)
if (mode === 'dev') await run('vitepress', ['dev', '.'])
else if (mode !== 'check' || process.env['LATCHKEY_LONG'] === '1') {
  await run('vitepress', ['build', '.'])
  await checkSearch(path.join(docs, '.vitepress', 'dist'))
}
