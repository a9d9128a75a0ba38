import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writePreloadFile } from '../../../src/main/window/activation-page.ts'

const root = mkdtempSync(path.join(tmpdir(), 'latchkey-preload-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const script = '"use strict";require("electron")'

function places() {
  const data = mkdtempSync(path.join(root, 'data-'))
  const inTheWay = path.join(data, 'file')
  writeFileSync(inTheWay, '')
  return { script, directory: path.join(data, 'latchkey'), temporaryDirectory: root, inTheWay }
}

test('the script is in one file, which only its owner may touch', () => {
  const { inTheWay: _, ...options } = places()
  const file = writePreloadFile(options)
  expect(readFileSync(file, 'utf8')).toBe(script)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(writePreloadFile(options)).toBe(file)
  expect(readdirSync(options.directory)).toEqual([path.basename(file)])
})

test('a copy that somebody changed is replaced before it is used', () => {
  const { inTheWay: _, ...options } = places()
  const file = writePreloadFile(options)
  writeFileSync(file, 'require("child_process")')
  expect(readFileSync(writePreloadFile(options), 'utf8')).toBe(script)
})

test('a new private temporary folder replaces a folder that can’t be written to', () => {
  const { inTheWay, temporaryDirectory } = places()
  const options = { script, directory: inTheWay, temporaryDirectory }
  const file = writePreloadFile(options)
  expect(readFileSync(file, 'utf8')).toBe(script)
  expect(path.dirname(path.dirname(file))).toBe(temporaryDirectory)
  expect(path.dirname(writePreloadFile(options))).not.toBe(path.dirname(file))
  if (process.platform !== 'win32') expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
})

test('without any writable folder the error names the reason', () => {
  const { inTheWay } = places()
  expect(() => writePreloadFile({ script, directory: inTheWay, temporaryDirectory: inTheWay })).toThrow()
})
