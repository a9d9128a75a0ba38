import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../workspace/repository.ts'

const run = promisify(execFile)

/** `undefined` if git tracks none, as in an unpacked archive. */
async function trackedFiles(): Promise<string[] | undefined> {
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: repositoryRoot }).catch(() => ({
    stdout: '',
  }))
  const files = stdout.split('\0').filter(Boolean)
  return files.length > 0 ? files : undefined
}

/** An absolute path in a folder that people and CI machines use for their work. */
const machinePath = new RegExp(`(?<![\\w.~/-])/(?:${['home', 'root', 'Users', 'work'].join('|')})/[\\w.-]+/`)

test('no tracked file contains a path of a developer’s machine', async ({ skip }) => {
  const files = await trackedFiles()
  if (files === undefined) return skip('not a git work tree, so there is no list of tracked files')
  const findings: string[] = []
  for (const file of files) {
    const text = await readFile(path.join(repositoryRoot, file), 'utf8').catch(() => '')
    text.split('\n').forEach((line, index) => {
      if (machinePath.test(line)) findings.push(`${file}:${index + 1}: ${line.trim().slice(0, 160)}`)
    })
  }
  expect(findings).toEqual([])
})

test('the lockfile works with any registry, because it contains no addresses', async () => {
  const lockfile = await readFile(path.join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8')
  const lines = lockfile.split('\n').filter((line) => !/^\s+deprecated:/.test(line))
  expect(lines.filter((line) => /https?:\/\/|tarball:/.test(line))).toEqual([])
})

test('no tracked setting chooses a registry', async () => {
  for (const name of ['.npmrc', 'pnpm-workspace.yaml']) {
    const text = await readFile(path.join(repositoryRoot, name), 'utf8')
    expect(text.split('\n').filter((line) => /registry|https?:\/\//i.test(line))).toEqual([])
  }
})
