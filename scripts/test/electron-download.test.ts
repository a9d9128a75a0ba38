import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { downloadElectron } from '../e2e/runtime/electron-dependency.ts'

/** Stands for the electron package: its install script is whatever a test needs it to be. */
let packagePath: string
beforeEach(async () => {
  packagePath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-package-'))
  onTestFinished(() => rm(packagePath, { recursive: true }))
})

async function installScript(lines: string[]): Promise<void> {
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
}

const limits = { firstByteMs: 2_500, stalledMs: 2_500 }

async function download() {
  const said: string[] = []
  const distribution = await downloadElectron((line) => said.push(line), limits, packagePath)
  return { distribution, said }
}

describe("the electron package's own download", () => {
  test('is used when it comes, however long it takes, and is announced', async () => {
    await installScript([
      `let parts = 0`,
      `const timer = setInterval(() => {`,
      `  appendFileSync(part, 'x'.repeat(1000))`,
      `  if (++parts === 16) { clearInterval(timer); finish() }`,
      `}, 250)`,
    ])
    const { distribution, said } = await download()
    expect(distribution).toEqual({
      executablePath: path.join(packagePath, 'dist', 'electron'),
      version: '45.4.1',
    })
    expect(said).toEqual(['Downloading Electron …'])
  })

  test('is given up quietly when it fails at once', async () => {
    await installScript([`console.error('no such host'); process.exit(1)`])
    expect(await download()).toEqual({ distribution: undefined, said: [] })
  })

  test('is given up when nobody answers', async () => {
    await installScript([`setInterval(() => {}, 1000)`])
    expect(await download()).toEqual({ distribution: undefined, said: [] })
  })

  test('is given up when it stands still in the middle', async () => {
    await installScript([`appendFileSync(part, 'x')`, `setInterval(() => {}, 1000)`])
    expect(await download()).toMatchObject({ distribution: undefined })
  })

  test('leaves nothing in the temporary folder', async () => {
    await installScript([
      `appendFileSync(part, 'x')`,
      `writeFileSync(__dirname + '/temporary.txt', require('node:os').tmpdir())`,
      `process.exit(1)`,
    ])
    await download()
    const temporaryPath = await readFile(path.join(packagePath, 'temporary.txt'), 'utf8')
    expect(path.dirname(temporaryPath)).toBe(os.tmpdir())
    expect(existsSync(temporaryPath)).toBe(false)
  })
})
