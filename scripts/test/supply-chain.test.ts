import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../workspace/repository.ts'

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), 'utf8')
const git = (...args: readonly string[]): string[] => {
  try {
    return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio: 'pipe' }).split('\0')
  } catch {
    // In an unpacked archive there is no list of tracked files.
    return []
  }
}

test('lockfile and settings work with any registry', () => {
  const lockfile = read('pnpm-lock.yaml').replace(/^\s+deprecated:.*$/gmu, '')
  expect(lockfile).not.toMatch(/https?:\/\/|tarball:/u)
  for (const file of ['.npmrc', 'pnpm-workspace.yaml'])
    expect(read(file)).not.toMatch(/registry|https?:\/\//iu)
})

test('every action of a workflow is pinned to a commit', () => {
  const used = Array.from(read('.github/workflows/ci.yml').matchAll(/uses: (\S+)/gu), ([, action]) => action)
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/u)
})

/** An absolute path in a folder that people and CI machines use for their work. */
const machinePath = new RegExp(`(?<![\\w.~/-])/(?:${['home', 'root', 'Users', 'work'].join('|')})/[\\w.-]+/`)

test('no tracked file contains a path of a developer’s machine', () => {
  const findings = git('ls-files', '-z').filter((file) => {
    try {
      return file !== '' && machinePath.test(read(file))
    } catch {
      return false
    }
  })
  expect(findings).toEqual([])
})
