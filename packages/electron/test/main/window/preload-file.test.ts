import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ensurePreloadFile } from '../../../src/main/window/preload-file.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-preload-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const script = '"use strict";require("electron")'

function places() {
  const data = mkdtempSync(path.join(root, 'data-'))
  const inTheWay = path.join(data, 'file')
  writeFileSync(inTheWay, '')
  return { script, directory: path.join(data, 'latchkey'), temporaryDirectory: root, inTheWay }
}

test('the script is written once, where only its owner may touch it', () => {
  const { inTheWay: _, ...options } = places()
  const file = ensurePreloadFile(options)
  expect(readFileSync(file, 'utf8')).toBe(script)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  const { ino } = statSync(file)
  expect(ensurePreloadFile(options)).toBe(file)
  expect(statSync(file).ino).toBe(ino)
  expect(readdirSync(options.directory)).toEqual([path.basename(file)])
})

test('a copy somebody changed is replaced before it is used', () => {
  const { inTheWay: _, ...options } = places()
  const file = ensurePreloadFile(options)
  writeFileSync(file, 'require("child_process")')
  expect(readFileSync(ensurePreloadFile(options), 'utf8')).toBe(script)
})

test('a new private temporary folder replaces a folder that can’t be written to', () => {
  const { inTheWay, temporaryDirectory } = places()
  const options = { script, directory: inTheWay, temporaryDirectory }
  const file = ensurePreloadFile(options)
  expect(readFileSync(file, 'utf8')).toBe(script)
  expect(path.dirname(path.dirname(file))).toBe(temporaryDirectory)
  expect(path.dirname(ensurePreloadFile(options))).not.toBe(path.dirname(file))
  if (process.platform !== 'win32') expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
})

test('without any writable folder the error names the reason', () => {
  const { inTheWay } = places()
  expect(() => ensurePreloadFile({ script, directory: inTheWay, temporaryDirectory: inTheWay })).toThrow()
})
