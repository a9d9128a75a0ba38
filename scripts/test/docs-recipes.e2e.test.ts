import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { readMarkdownPages } from '../docs/markdown-pages.ts'
import { type CodeBlock, parsePage } from '../docs/parse-page.ts'
import { writeRecipeProject } from '../docs/recipe-project.ts'
import { nodeArguments, runNode } from '../docs/run-in-docs.ts'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'

let blocks: readonly CodeBlock[]
beforeAll(async () => {
  const pages = await readMarkdownPages()
  blocks = pages.map(parsePage).flatMap((page) => page.blocks)
})

/** The commands that a page tells the reader to run in the app's folder. */
function commandsOf(page: string): readonly string[] {
  return blocks
    .filter((block) => block.page === page && block.language === 'sh' && block.note === '')
    .flatMap(({ code }) => code.trim().split('\n'))
}

/** What a reader's shell would find: the programs of the docs package, and Electron. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const { executablePath } = electronFromEnvironment()
  // The runner of these tests must not be taken for the one that is started here.
  const { VITEST: _, NODE_ENV: __, ...rest } = process.env
  return { ...rest, ELECTRON_OVERRIDE_DIST_PATH: path.dirname(executablePath), NO_COLOR: '1', CI: '1' }
}

test('the app of the first page is built and its tests run, as the pages say', async () => {
  const pages = ['docs/start.md', 'docs/testing.md']
  const files = blocks.filter(({ page, fileName }) => pages.includes(page) && fileName !== null)
  const project = await writeRecipeProject(files)
  onTestFinished(project.remove)

  const commands = commandsOf('docs/testing.md')
  expect(commands).toEqual(['npx vitest run', 'npm run build', 'npx playwright test'])
  for (const command of commands) {
    const args = nodeArguments(command.split(' ')) ?? []
    const { exitCode, output } = await runNode(args, { cwd: project.folder, env: readersEnvironment() })
    expect(exitCode, `${command}\n${output}`).toBe(0)
    if (command.startsWith('npx')) expect(output).toMatch(/\b[1-9]\d* passed/u)
  }
})
