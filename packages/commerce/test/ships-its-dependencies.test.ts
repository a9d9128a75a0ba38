import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

test('what is published imports each dependency, and no other package', async () => {
  const outDir = await mkdtemp(path.join(tmpdir(), 'latchkey-commerce-'))
  onTestFinished(() => rm(outDir, { recursive: true, force: true }))
  const cwd = path.join(import.meta.dirname, '..')
  const tsdown = path.join(cwd, '..', '..', 'node_modules', 'tsdown', 'dist', 'run.mjs')
  await promisify(execFile)(process.execPath, [tsdown, '--out-dir', outDir, '--no-dts'], { cwd })
  const files = (await readdir(outDir)).filter((file) => file.endsWith('.js'))
  const sources = await Promise.all(files.map((file) => readFile(path.join(outDir, file), 'utf8')))
  const imported = sources.flatMap((source) =>
    Array.from(
      source.matchAll(/^import .*from "([^".][^"/]*)|\bimport\("([^".][^"/]*)"/gmu),
      ([, name, late]) => name ?? late,
    ),
  )
  expect([...new Set(imported)].toSorted()).toEqual(Object.keys(packageJson.dependencies).toSorted())
}, 60_000)
