import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { downloadedElectron } from '../e2e/runtime/electron-dependency.ts'
import { executableInDistribution } from '../e2e/runtime/electron-distribution.ts'
import { resolveElectronRuntime } from '../e2e/runtime/electron-runtime.ts'
import { verifyIntegrity } from '../e2e/runtime/packed-electron.ts'
import { sandboxObstacle } from '../e2e/runtime/sandbox-arguments.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-runtime-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

async function fakeDistribution(distributionPath: string, version: string): Promise<string> {
  const executablePath = path.join(distributionPath, executableInDistribution(process.platform))
  await mkdir(path.dirname(executablePath), { recursive: true })
  await writeFile(executablePath, '')
  await writeFile(path.join(distributionPath, 'version'), version)
  return executablePath
}

describe('ELECTRON_OVERRIDE_DIST_PATH', () => {
  test('has priority, and the chosen Electron is printed', async () => {
    const executablePath = await fakeDistribution(folder, 'v33.2.0\n')
    vi.stubEnv('ELECTRON_OVERRIDE_DIST_PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const printed: string[] = []
    const runtime = await resolveElectronRuntime((line) => printed.push(line))
    expect(runtime).toMatchObject({
      executablePath,
      version: '33.2.0',
      source: 'ELECTRON_OVERRIDE_DIST_PATH',
    })
    expect(printed[0]).toBe('Electron 33.2.0 (ELECTRON_OVERRIDE_DIST_PATH)')
  })

  test('without an Electron in it is an error that names the missing file', async () => {
    vi.stubEnv('ELECTRON_OVERRIDE_DIST_PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const missing = path.join(folder, executableInDistribution(process.platform))
    await expect(resolveElectronRuntime(() => {})).rejects.toThrow(missing)
  })
})

describe("the electron package's own download", () => {
  test('is found by its files', async () => {
    const executablePath = await fakeDistribution(path.join(folder, 'dist'), '45.4.1')
    await writeFile(path.join(folder, 'path.txt'), executableInDistribution(process.platform))
    expect(downloadedElectron(folder)).toEqual({ executablePath, version: '45.4.1' })
  })

  test('doesn’t count as complete while it is being unpacked', async () => {
    await fakeDistribution(path.join(folder, 'dist'), '45.4.1')
    expect(downloadedElectron(folder)).toBeUndefined()
  })
})

describe('a fetched package', () => {
  const integrity =
    'sha512-m3HSJL1i83hdltRq0+o9czGb+8KJDKra4t/3JRlnPKcjI8PZm6XBHXx6zG4UuMXaDEZjR1wuXDre9G9zvN7AQw=='

  test('is accepted when its digest is the pinned one', async () => {
    const file = path.join(folder, 'package.tgz')
    await writeFile(file, 'hello')
    await expect(verifyIntegrity(file, integrity)).resolves.toBeUndefined()
  })

  test('is refused when one byte differs', async () => {
    const file = path.join(folder, 'package.tgz')
    await writeFile(file, 'hellp')
    await expect(verifyIntegrity(file, integrity)).rejects.toThrow('package.tgz is not the pinned file')
  })
})

describe("Chromium's sandbox", () => {
  const usable = { isRoot: false, userNamespacesAllowed: true, helperIsSetuid: false }

  test('is on for an ordinary user on an ordinary system', () => {
    expect(sandboxObstacle(usable)).toBeUndefined()
    expect(sandboxObstacle({ ...usable, userNamespacesAllowed: false, helperIsSetuid: true })).toBeUndefined()
  })

  test('is off, with a reason, if it can’t start', () => {
    expect(sandboxObstacle({ ...usable, isRoot: true })).toBe('running as root')
    expect(sandboxObstacle({ ...usable, userNamespacesAllowed: false })).toMatch('user namespaces')
  })
})
