import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { ensurePreloadFile } from '../../../src/main/window/preload-file.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-preload-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const script = '"use strict";require("electron")'

function places(): { appPath: string; directory: string; temporaryDirectory: string; installed: string } {
  const appPath = mkdtempSync(path.join(root, 'app-'))
  const installed = path.join(appPath, 'node_modules', '@latchkey', 'electron', 'dist', 'preload.cjs')
  return { appPath, directory: path.join(appPath, 'data', 'latchkey'), temporaryDirectory: root, installed }
}

function install(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}

test('the installed package’s own file is used where there is one, and nothing is written', () => {
  const { installed, ...options } = places()
  install(installed, script)
  expect(ensurePreloadFile({ script, ...options })).toBe(installed)
  expect(readdirSync(options.appPath)).toEqual(['node_modules'])
})

test('is found in a folder above the app, as in a workspace', () => {
  const { installed, ...options } = places()
  install(installed, script)
  const appPath = path.join(options.appPath, 'packages', 'notes')
  mkdirSync(appPath, { recursive: true })
  expect(ensurePreloadFile({ script, ...options, appPath })).toBe(installed)
})

test('the package has its file where the search expects it', () => {
  const manifest = path.join(import.meta.dirname, '..', '..', '..', 'package.json')
  expect(JSON.parse(readFileSync(manifest, 'utf8')).exports['./preload.cjs']).toBe('./dist/preload.cjs')
})

test('an installed file of another version is not used', () => {
  const { installed, ...options } = places()
  install(installed, `${script};// older`)
  const file = ensurePreloadFile({ script, ...options })
  expect(file).not.toBe(installed)
  expect(readFileSync(file, 'utf8')).toBe(script)
})

test('a bundled app gets a copy only its owner may touch, and keeps it', () => {
  const { installed: _none, ...options } = places()
  const { directory } = options
  const file = ensurePreloadFile({ script, ...options })
  expect(readFileSync(file, 'utf8')).toBe(script)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  const { ino } = statSync(file)
  expect(ensurePreloadFile({ script, ...options })).toBe(file)
  expect(statSync(file).ino).toBe(ino)
  expect(readdirSync(directory)).toEqual([path.basename(file)])
})

test('a bundled app that has its copy doesn’t search the folders above it again', () => {
  const { installed, ...options } = places()
  const copy = ensurePreloadFile({ script, ...options })
  install(installed, script)
  expect(ensurePreloadFile({ script, ...options })).toBe(copy)
})

test('a copy somebody changed is replaced before it is used', () => {
  const { installed: _none, ...options } = places()
  const file = ensurePreloadFile({ script, ...options })
  writeFileSync(file, 'require("child_process")')
  expect(readFileSync(ensurePreloadFile({ script, ...options }), 'utf8')).toBe(script)
})

test('a private temporary folder replaces a folder that can’t be written to', () => {
  const { appPath, temporaryDirectory } = places()
  const inTheWay = path.join(appPath, 'file')
  writeFileSync(inTheWay, '')
  const file = ensurePreloadFile({ script, appPath, directory: inTheWay, temporaryDirectory })
  expect(readFileSync(file, 'utf8')).toBe(script)
  expect(path.dirname(path.dirname(file))).toBe(temporaryDirectory)
  if (process.platform !== 'win32') expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
})

test('opening the window again, or the app, leaves no further folder behind', () => {
  const { options, temporaryDirectory } = readOnlyData()
  const file = ensurePreloadFile(options)
  expect(ensurePreloadFile(options)).toBe(file)
  expect(readdirSync(temporaryDirectory)).toEqual([path.basename(path.dirname(file))])
  writeFileSync(file, 'require("child_process")')
  expect(readFileSync(ensurePreloadFile(options), 'utf8')).toBe(script)
})

/** What may lie where the temporary folder would be, put there before. */
const obstacles: Readonly<Record<string, (folder: string) => void>> = {
  'a link to a folder': (folder) =>
    symlinkSync(mkdtempSync(path.join(root, 'elsewhere-')), folder, 'junction'),
  'a file': (folder) => writeFileSync(folder, '', { mode: 0o700 }),
  // Windows has none of these: there the folder for short-lived files is the user's own.
  ...(process.platform !== 'win32' && {
    'a folder others may write to': (folder) => {
      mkdirSync(folder)
      chmodSync(folder, 0o777)
    },
    'a folder nobody may write to': (folder) => mkdirSync(folder, { mode: 0o500 }),
    'another user’s folder': (folder) => {
      const otherId = Number(process.getuid?.()) + 1
      mkdirSync(folder.replace(/\d+$/, String(otherId)), { mode: 0o700 })
      vi.spyOn(process, 'getuid').mockReturnValue(otherId)
    },
  }),
}

test.each(Object.entries(obstacles))(
  '%s in the way of the temporary one is not used',
  (_what, putInTheWay) => {
    const { options, temporaryDirectory } = readOnlyData()
    const usual = path.dirname(ensurePreloadFile(options))
    rmSync(usual, { recursive: true })
    putInTheWay(usual)
    const before = readdirSync(temporaryDirectory)
    const file = ensurePreloadFile(options)
    vi.restoreAllMocks()
    expect(before).not.toContain(path.basename(path.dirname(file)))
    expect(path.dirname(path.dirname(file))).toBe(temporaryDirectory)
    expect(readFileSync(file, 'utf8')).toBe(script)
  },
)

function readOnlyData() {
  const { appPath } = places()
  const inTheWay = path.join(appPath, 'file')
  writeFileSync(inTheWay, '')
  const temporaryDirectory = mkdtempSync(path.join(root, 'temp-'))
  return { options: { script, appPath, directory: inTheWay, temporaryDirectory }, temporaryDirectory }
}

test('without any writable folder the error names the reason', () => {
  const { appPath } = places()
  const inTheWay = path.join(appPath, 'file')
  writeFileSync(inTheWay, '')
  expect(() =>
    ensurePreloadFile({ script, appPath, directory: inTheWay, temporaryDirectory: inTheWay }),
  ).toThrow()
})
