import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const source = path.join(import.meta.dirname, '..', '..', 'src')

/** What a file imports when it is loaded: not its types, and not what it imports later. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(source, file), 'utf8').replace(/\bimport type [^;]*?from '[^']+'/gu, '')
  return [...text.matchAll(/^(?:import|export) (?:[^']*? from )?'([^']+)'/gmu)].flatMap(
    ([, target = '']) => target,
  )
}

/** What a file imports when it needs it. */
function importedLaterBy(file: string): readonly string[] {
  const text = readFileSync(path.join(source, file), 'utf8')
  return [...text.matchAll(/\bimport\('([^']+)'\)/gu)].flatMap(([, target = '']) => target)
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

describe('an activated app at its launch', () => {
  const loaded = loadedWith('main/index.ts')

  test('loads what the decision needs', () => {
    expect(loaded).toContain('core/entitlement.ts')
    expect(loaded).toContain('main/ipc/serve-ipc.ts')
    expect(loaded).toContain('main/window/gate.ts')
  })

  test.each([
    [
      'the activation window',
      /window\/(?:page|activation-window-view|electron-activation-window|fit-content)/,
    ],
    ['its texts and pages', /^virtual:|describe-screen|check-(?:string-names|locale)/],
    ['what asks for a key', /window\/ask-at-gate/],
    ['what warns a developer', /development-warnings/],
    ['the support report and its hints', /diagnosis\/(?!masked-logger)/],
    ['what answers messages from windows', /ipc-handlers|refusal-log/],
    ['the client of the commerce service, or any other', /^@latchkey\/services(?!\/license-key$)|^ky$/],
    ['what checks the signature of a gateway', /signed-gateway/],
    ['what reads an answer that came without internet', /offline-port|services\/offline/],
    ['the command that asks for the machine ID', /report-machine-id|node-machine-id|child_process/],
  ])('does not load %s', (_what, names) => {
    expect([...loaded].filter((name) => names.test(name))).toEqual([])
  })
})

/**
 * Bundlers convert a Node module's default import in CommonJS by a helper. If the app loads code on demand, that helper is
 * a file of its own, which takes three milliseconds of every launch.
 */
test('an activated app loads no helper of its bundler at its launch', () => {
  const defaultImport = /^import [\w$]+,? .*from 'node:/mu
  const own = [...loadedWith('main/index.ts')].filter((name) => name.endsWith('.ts'))
  expect(own.filter((name) => defaultImport.test(readFileSync(path.join(source, name), 'utf8')))).toEqual([])
})

test('what is loaded on demand is there, under the names that the test above looks for', () => {
  const later = loadedWith('main/window/electron-activation-window.ts')
  expect(later).toContain('main/window/activation-window-view.ts')
  expect(later).toContain('virtual:latchkey/activation-page')
  expect(importedLaterBy('main/adapters/app-service.ts')).toEqual([
    '@latchkey/services/commerce',
    './signed-gateway.ts',
  ])
  expect(loadedWith('main/adapters/offline-port.ts')).toContain('@latchkey/services/offline')
  expect(loadedWith('main/adapters/device/report-machine-id.ts')).toContain('node-machine-id')
})
