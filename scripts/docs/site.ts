import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { failureOf } from '../check/failure-of.ts'
import { runCommand } from '../check/run-command.ts'
import { tellFaults } from '../check/tell-faults.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import { checkBuiltSite } from './check-built-site.ts'
import { readMarkdownPages } from './markdown-pages.ts'

// `pnpm site`: builds the documentation site into docs/.vitepress/dist and checks every link in it.
// `pnpm site dev`: serves it while you write.

const docsFolder = path.join(repositoryRoot, 'docs')
const siteFolder = path.join(docsFolder, '.vitepress', 'dist')

/** The packages' READMEs as pages of the site. Their links are rewritten during rendering. */
async function copyReadmes(): Promise<void> {
  const folder = path.join(docsFolder, 'packages')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const { file, text } of await readMarkdownPages()) {
    const name = /^packages\/([^/]+)\/README\.md$/u.exec(file)?.[1]
    if (name !== undefined) await writeFile(path.join(folder, `${name}.md`), text)
  }
}

/** Runs a tool of the docs package, without output if nothing fails. */
async function runTool(script: string, args: readonly string[]): Promise<void> {
  const command = [process.execPath, path.join(docsFolder, 'node_modules', script), ...args]
  const failure = await failureOf(command, { NO_COLOR: '1' })
  if (failure !== null) throw new Error(`${script} failed:\n${failure}`)
}

await copyReadmes()
await rm(path.join(docsFolder, 'api'), { recursive: true, force: true })
await runTool('typedoc/bin/typedoc', ['--options', path.join(docsFolder, 'typedoc.json')])
// TypeDoc's own list of modules. The start page, docs/api-entries/index.md, replaces it.
await rm(path.join(docsFolder, 'api', 'modules.md'))

const vitepress = 'vitepress/bin/vitepress.js'
if (process.argv[2] === 'dev') {
  const command = [process.execPath, path.join(docsFolder, 'node_modules', vitepress), 'dev', docsFolder]
  process.exitCode = (await runCommand(command, {}, (line) => console.log(line))) ? 0 : 1
} else {
  await runTool(vitepress, ['build', docsFolder])
  const { pages, links, findings } = await checkBuiltSite(siteFolder)
  const folder = path.relative(repositoryRoot, siteFolder)
  tellFaults(
    `${pages} pages in ${folder}, ${links} links inside the site, ${findings.length} of them broken`,
    findings,
  )
}
