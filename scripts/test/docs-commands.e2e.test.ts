import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { readMarkdownPages } from '../docs/markdown-pages.ts'
import { commandsOf } from '../docs/page-commands.ts'
import { parsePage } from '../docs/parse-page.ts'
import { nodeArguments, runNode } from '../docs/run-in-docs.ts'
import { repositoryRoot } from '../repository.ts'

const blocks = (await readMarkdownPages()).map(parsePage).flatMap((page) => page.blocks)
const commands = [...new Set(commandsOf(blocks))]

/** Commands inside the app of the first page: docs-recipes.e2e.test.ts runs them. */
const recipes = ['npm run build', 'npx electron .', 'npx vitest run', 'npx playwright test']

/** How a command is run here; `null` when nobody knows. */
function runnerOf(command: string): ((words: readonly string[]) => Promise<void>) | null {
  if (command.startsWith('npx pnpm ')) return isScript
  if (command.startsWith('npx latchkey-emulator')) return startsAndEnds
  if (command.startsWith('npx latchkey-gateway keys ')) return ends
  if (command.startsWith('latchkey ')) return asksTheService
  return null
}

test('there are commands to run', () => {
  expect(commands.length).toBeGreaterThan(10)
})

// Otherwise mark the block as `sh illustration`, or teach this file to run it.
test.each(commands.filter((command) => !recipes.includes(command)))('%s', async (command) => {
  const run = runnerOf(command)
  expect(run, 'nobody knows how to run it').not.toBeNull()
  await run?.(command.split(/\s+/u))
})

/** Scripts of the repository: they are the tests, or too big for one. That they are there is what can be looked at. */
async function isScript(words: readonly string[]): Promise<void> {
  const [, , first, filtered, script] = words
  const folder = first === '--filter' ? path.join('examples', filtered ?? '') : '.'
  const manifest = await readFile(path.join(repositoryRoot, folder, 'package.json'), 'utf8')
  expect(Object.keys(JSON.parse(manifest).scripts)).toContain(first === '--filter' ? script : first)
}

async function startsAndEnds(words: readonly string[]): Promise<void> {
  // Any free port, and an end: everything else as the reader types it.
  const ownWords = words.filter((word, index) => word !== '--port' && words[index - 1] !== '--port')
  const args = nodeArguments([...ownWords, '--port', '0', '--exit-with-parent']) ?? []
  const { exitCode, output } = await runNode(args, { cwd: repositoryRoot })
  expect(output).toMatch(/http:\/\/127\.0\.0\.1:\d+/u)
  expect(exitCode).toBe(0)
}

async function ends(words: readonly string[]): Promise<void> {
  const { exitCode, output } = await runNode(nodeArguments(words) ?? [], { cwd: repositoryRoot })
  expect(exitCode, output).toBe(0)
}

/** The support desk's tool, against a license of the emulator in the place of the one on the page. */
async function asksTheService(words: readonly string[]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-commands-'))
  const emulator = await startEmulator()
  // As an app sees a gateway.
  const withoutToken = await startEmulator({ accessToken: null })
  onTestFinished(async () => {
    await emulator.close()
    await withoutToken.close()
    await rm(folder, { recursive: true })
  })
  const { demoLicense, control, baseUrl, accessToken } = emulator
  const key = control.addKey(demoLicense.id, 'Studio [0123456789abcdef]')
  const ids = new Map([
    ['1f0a2b3c-…', demoLicense.id],
    ['7d6e5f4a-…', key.id],
    ['https://licensing.example.com/v1', withoutToken.baseUrl],
  ])
  const args = nodeArguments(words.map((word) => ids.get(word) ?? word)) ?? []
  const { LATCHKEY_ACCESS_TOKEN_FILE: _, ...rest } = process.env
  const env = { ...rest, LATCHKEY_BASE_URL: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken ?? '' }
  const { exitCode, output } = await runNode(args, { cwd: folder, env })
  expect(exitCode, output).toBe(0)
  const asked = [...emulator.control.requests(), ...withoutToken.control.requests()]
  expect(asked.length).toBeGreaterThan(0)
}
