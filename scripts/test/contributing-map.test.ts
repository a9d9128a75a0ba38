import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { repositoryRoot } from '../workspace/repository.ts'

function foldersIn(folder: string): readonly string[] {
  const entries = readdirSync(path.join(repositoryRoot, folder), { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => name)
}

const packages = foldersIn('packages')
const mapped = [
  ...packages.map((name) => `packages/${name}/src`),
  ...['core', 'dialog', 'main'].map((name) => `packages/electron/src/${name}`),
  'scripts',
]

test('CONTRIBUTING names only files that exist on the path of an activation', () => {
  const text = readFileSync(path.join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8')
  const walk = text.slice(text.indexOf('The path of an activation'), text.indexOf('## How to add'))
  const files = [...walk.matchAll(/`([\w/-]+\.ts)`/gu)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(10)
  const missing = files.filter(
    (file) => !existsSync(path.join(repositoryRoot, 'packages/electron/src', file)),
  )
  expect(missing).toEqual([])
  expect(files).toEqual([...new Set(files)])
})

test('CONTRIBUTING names every command of the repository', () => {
  const text = readFileSync(path.join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8')
  const manifest = readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(manifest))
  const missing = Object.keys(scripts).filter(
    (name) => !/^(?:pre|post)/u.test(name) && !new RegExp(`\\| \`pnpm ${name}[ \`]`, 'u').test(text),
  )
  expect(missing).toEqual([])
})

test('CONTRIBUTING names every package', () => {
  const text = readFileSync(path.join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8')
  expect(packages.filter((name) => !text.includes(`packages/${name} `))).toEqual([])
})

test.each(mapped)('CONTRIBUTING names every folder in %s', (folder) => {
  const text = readFileSync(path.join(repositoryRoot, 'CONTRIBUTING.md'), 'utf8')
  const map = text.slice(text.indexOf('## Where things are'), text.indexOf('## How to add'))
  expect(foldersIn(folder).filter((name) => !new RegExp(`\\b${name}\\b`, 'u').test(map))).toEqual([])
})
