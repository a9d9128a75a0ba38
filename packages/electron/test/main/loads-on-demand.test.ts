import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const source = path.join(import.meta.dirname, '..', '..', 'src')

/** What a file imports when it is loaded: not its types, and not what it imports later. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(source, file), 'utf8').replace(/\bimport type [^;]*?from '[^']+'/gu, '')
  return [...text.matchAll(/^(?:import|export) (?:[^']*? from )?'([^']+)'/gmu)].flatMap(
    ([, target = '']) => target,
  )
}

/** All files and packages that are loaded together with a file. */
function loadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const load = (name: string): void => {
    if (loaded.has(name)) return
    loaded.add(name)
    if (!name.endsWith('.ts')) return
    for (const target of importsOf(name)) {
      load(target.startsWith('.') ? path.posix.join(path.posix.dirname(name), target) : target)
    }
  }
  load(entry)
  return loaded
}

test('a launch loads what the decision needs, and not the window', () => {
  const loaded = [...loadedWith('main/index.ts')]
  expect(loaded).toContain('core/entitlement.ts')
  expect(loaded).toContain('main/window/gate.ts')
  const later = /^virtual:|^ky$|^electron-store$|^node-machine-id$|activation-page|main\/later\.ts/u
  expect(loaded.filter((name) => later.test(name))).toEqual([])
  expect([...loadedWith('main/later.ts')]).toContain('virtual:latchkey/activation-page')
})
