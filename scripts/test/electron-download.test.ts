import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type DownloadLimits, downloadElectron } from '../e2e/runtime/electron-dependency.ts'
import { allowConcurrentTests, onTestEnd } from './side-by-side.ts'

allowConcurrentTests()

/** Creates a package that replaces `electron`, with these lines as its install script. @returns its folder. */
async function createPackage(lines: string[]): Promise<string> {
  const packagePath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-package-'))
  onTestEnd(() => rm(packagePath, { recursive: true }))
  const script = [
    `const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs')`,
    `const part = require('node:path').join(require('node:os').tmpdir(), 'electron.zip')`,
    `const finish = () => {`,
    `  mkdirSync(__dirname + '/dist', { recursive: true })`,
    `  writeFileSync(__dirname + '/dist/version', '45.4.1')`,
    `  writeFileSync(__dirname + '/dist/electron', '')`,
    `  writeFileSync(__dirname + '/path.txt', 'electron')`,
    `}`,
    ...lines,
  ]
  await writeFile(path.join(packagePath, 'install.js'), script.join('\n'))
  return packagePath
}

async function download(packagePath: string, limits: Partial<DownloadLimits> = {}) {
  const said: string[] = []
  const patient = { firstByteMs: 60_000, stalledMs: 60_000, ...limits }
  const distribution = await downloadElectron((line) => said.push(line), patient, packagePath)
  return { distribution, said }
}

describe.concurrent("the electron package's own download", () => {
  test('is announced, and used even if it is slow', async () => {
    const packagePath = await createPackage([
      `let parts = 0`,
      `const timer = setInterval(() => {`,
      `  appendFileSync(part, 'x'.repeat(1000))`,
      `  if (++parts === 20) { clearInterval(timer); finish() }`,
      `}, 250)`,
    ])
    const { distribution, said } = await download(packagePath, { stalledMs: 4_000 })
    expect(distribution).toEqual({
      executablePath: path.join(packagePath, 'dist', 'electron'),
      version: '45.4.1',
    })
    expect(said).toEqual(['Downloading Electron …'])
  })

  test('is skipped silently if it fails at once', async () => {
    const packagePath = await createPackage([`console.error('no such host'); process.exit(1)`])
    expect(await download(packagePath)).toEqual({ distribution: undefined, said: [] })
  })

  test('is skipped if there is no answer', async () => {
    const packagePath = await createPackage([`setInterval(() => {}, 1000)`])
    expect(await download(packagePath, { firstByteMs: 1_000 })).toEqual({ distribution: undefined, said: [] })
  })

  test('is skipped if it stalls', async () => {
    const packagePath = await createPackage([`appendFileSync(part, 'x')`, `setInterval(() => {}, 1000)`])
    const { distribution, said } = await download(packagePath, { stalledMs: 1_000 })
    expect(distribution).toBeUndefined()
    expect(said).toEqual(['Downloading Electron …'])
  })

  test('leaves nothing in the temporary folder', async () => {
    const packagePath = await createPackage([
      `appendFileSync(part, 'x')`,
      `writeFileSync(__dirname + '/temporary.txt', require('node:os').tmpdir())`,
      `process.exit(1)`,
    ])
    await download(packagePath)
    const temporaryPath = await readFile(path.join(packagePath, 'temporary.txt'), 'utf8')
    expect(path.dirname(temporaryPath)).toBe(os.tmpdir())
    expect(existsSync(temporaryPath)).toBe(false)
  })
})
