import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { failureOf } from '../check/failure-of.ts'
import { runCommand } from '../check/run-command.ts'
import { tellFaults } from '../check/tell-faults.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import { pnpmCommand } from '../workspace/pnpm-command.ts'
import { temporaryFolder } from './temporary-folder.ts'

const node = (code: string): readonly string[] => [process.execPath, '-e', code]
const isWindows = process.platform === 'win32'

describe('a command', () => {
  test.each([
    ['succeeds', node('console.log("fine")'), true],
    ['ends with an exit code', node('process.exitCode = 3'), false],
    ['is killed', node('process.kill(process.pid, "SIGKILL")'), false],
    ['doesn’t exist', ['/no/such/program'], false],
  ])('that %s passes: %s', async (_, command, hasPassed) => {
    expect(await runCommand(command, {}, () => {})).toBe(hasPassed)
  })

  test('gets its environment, and every line it writes is passed on', async () => {
    const lines: string[] = []
    const code = 'console.log(process.env.WORD); console.error("and this")'
    await runCommand(node(code), { WORD: 'this' }, (line) => lines.push(line))
    expect(lines.toSorted()).toEqual(['and this', 'this'])
  })

  test('that is killed without output, such as a compiler out of memory, doesn’t count as a success', async () => {
    expect(await failureOf(node('console.log("found nothing")'))).toBeNull()
    expect(await failureOf(node('console.log("wrong"); process.exitCode = 1'))).toBe('wrong')
    expect(await failureOf(node('process.exitCode = 1'))).toContain('failed without a word')
    const killed = await failureOf(node('process.kill(process.pid, "SIGKILL")'))
    expect(killed).toMatch(isWindows ? /failed without a word/u : /was ended by SIGKILL/u)
  })
})

test.skipIf(isWindows)('a package whose compiler is killed fails the check of all types', async () => {
  const folder = await temporaryFolder()
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }')
  await writeFile(path.join(folder, 'pnpm-workspace.yaml'), 'packages:\n  - packages/*\n')
  for (const [name, code] of [
    ['one', 'process.kill(process.pid, "SIGKILL")'],
    ['other', ''],
  ]) {
    const packageFolder = path.join(folder, 'packages', name ?? '')
    await mkdir(packageFolder, { recursive: true })
    const scripts = { types: `"${process.execPath}" compiler.cjs` }
    await writeFile(path.join(packageFolder, 'package.json'), JSON.stringify({ name, scripts }))
    await writeFile(path.join(packageFolder, 'compiler.cjs'), code ?? '')
  }
  const types = (filter: string) =>
    failureOf(pnpmCommand(['--dir', folder, '--filter', filter, '--recursive', '--no-bail', 'run', 'types']))
  expect(await types('other')).toBeNull()
  expect(await types('*')).not.toBeNull()
})

test('the problems that a check found are printed and fail the process', () => {
  const exitCode = process.exitCode
  onTestFinished(() => {
    process.exitCode = exitCode
  })
  const lines: string[] = []
  process.exitCode = undefined
  tellFaults('one', [], (line) => lines.push(line))
  expect([lines.splice(0), process.exitCode]).toEqual([['good  one'], undefined])
  tellFaults('other', ['wrong'], (line) => lines.push(line))
  expect([lines, process.exitCode]).toEqual([['BAD   other', '      wrong'], 1])
})

describe('waiting', () => {
  test('returns what was found', async () => {
    let looks = 0
    expect(await waitUntil('it is there', () => (++looks < 3 ? undefined : 'it'))).toBe('it')
  })

  test('throws if nothing happens, and names what was awaited', async () => {
    await expect(waitUntil('the window opens', () => undefined, 120)).rejects.toThrow(
      'This did not happen within 0.12 s: the window opens.',
    )
  })
})
