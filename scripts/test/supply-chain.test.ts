import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { disallowedLicenses } from '../packages/third-party-licenses.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), 'utf8')

describe('licenses of our packages’ dependencies', () => {
  test('that require only a notice are accepted, alone or as an alternative', () => {
    const report = { MIT: [{ name: 'a' }], '(MPL-2.0 OR Apache-2.0)': [{ name: 'b' }] }
    expect(disallowedLicenses(report)).toEqual([])
  })

  test('that require more or are unknown are reported', () => {
    const report = {
      'GPL-3.0-only': [{ name: 'a' }],
      Unknown: [{ name: 'b' }],
      'MIT AND GPL-2.0-only': [{ name: 'c' }],
    }
    expect(disallowedLicenses(report).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })
})

describe('the workspace', () => {
  const workspace: unknown = parse(read('pnpm-workspace.yaml'))

  test('installs no version younger than a day', () => {
    expect(workspace).toMatchObject({ minimumReleaseAge: 1440 })
  })

  test('runs only Node’s build script', () => {
    const builds = Object.entries(Object(Reflect.get(Object(workspace), 'allowBuilds')))
    expect(builds.filter(([, isAllowed]) => isAllowed === true)).toEqual([['node', true]])
  })

  test('names no registry in its lockfile', () => {
    expect(read('pnpm-lock.yaml')).not.toMatch(/https?:|tarball:/u)
  })
})
