import { readFile } from 'node:fs/promises'
import path from 'node:path'
import semver from 'semver'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { readMarkdownPages } from '../docs/pages.ts'
import { repositoryRoot } from '../workspace/repository.ts'

const dependenciesSchema = z.optional(z.record(z.string(), z.string()))
const lockSchema = z.object({
  importers: z.record(
    z.string(),
    z.object({ dependencies: z.optional(z.record(z.string(), z.object({ version: z.string() }))) }),
  ),
  packages: z.record(
    z.string(),
    z.object({ engines: z.optional(z.object({ node: z.optional(z.string()) })) }),
  ),
  snapshots: z.record(z.string(), z.object({ dependencies: dependenciesSchema })),
})
const manifestSchema = z.object({ engines: z.object({ node: z.string() }) })

async function engineOf(folder: string): Promise<string> {
  const text = await readFile(path.join(repositoryRoot, folder, 'package.json'), 'utf8')
  return manifestSchema.parse(JSON.parse(text)).engines.node
}

const lock = lockSchema.parse(parse(await readFile(path.join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8')))
const published = Object.keys(lock.importers).filter((folder) => folder.startsWith('packages/'))

/** The oldest Node that the newest Electron in the workspace can be installed with, such as `22.12`. */
const nodeOfElectron = Object.entries(lock.packages)
  .filter(([key]) => key.startsWith('electron@'))
  .flatMap(([, { engines }]) => semver.minVersion(engines?.node ?? '*') ?? [])
  .sort(semver.rcompare)
  .map(({ major, minor }) => `${major}.${minor}`)[0]

/** Everything that a package installs, as `name@version`. */
function installedWith(folder: string, found: Set<string> = new Set()): ReadonlySet<string> {
  const add = (name: string, version: string): void => {
    const link = version.startsWith('link:') ? version.slice('link:'.length) : null
    if (link !== null) return void installedWith(path.posix.join(folder, link), found)
    const key = `${name}@${version}`
    if (found.has(key)) return
    found.add(key)
    for (const [each, itsVersion] of Object.entries(lock.snapshots[key]?.dependencies ?? {}))
      add(each, itsVersion)
  }
  for (const [name, { version }] of Object.entries(lock.importers[folder]?.dependencies ?? {}))
    add(name, version)
  return found
}

test.each(published)('%s requires at least the Node that its dependencies require', async (folder) => {
  const own = await engineOf(folder)
  const tooNew = [...installedWith(folder)].filter((key) => {
    const engine = lock.packages[key.replace(/\(.*$/u, '')]?.engines?.node
    return engine !== undefined && !semver.subset(own, engine)
  })
  expect(tooNew).toEqual([])
})

test('the pages name the Node that the packages, the repository and Electron require', async () => {
  const engines = await Promise.all([...published, '.'].map(engineOf))
  const allowed = new Set([...engines.map((engine) => engine.replace('>=', '')), nodeOfElectron])
  const named = (await readMarkdownPages()).flatMap(({ file, text }) =>
    [...text.matchAll(/\bNode ([\d.]+\d) or newer/gu)].map(([, version = '']) => ({ file, version })),
  )
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter(({ version }) => !allowed.has(version))).toEqual([])
  // That page installs both.
  expect(semver.subset(`>=${nodeOfElectron}`, await engineOf('packages/electron'))).toBe(true)
  expect(named).toContainEqual({ file: 'docs/start.md', version: nodeOfElectron })
})
