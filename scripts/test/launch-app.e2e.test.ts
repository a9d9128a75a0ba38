import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, vi } from 'vitest'
import { test } from '../e2e/app-test.ts'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'
import { type AppProblem, type LaunchedApp, launchApp } from '../e2e/launch-app.ts'

const appPath = path.join(import.meta.dirname, 'fixture-app')

test('an app folder runs under its own name, version and path, unpackaged and with the data folder it was given', async ({
  launch,
  userDataPath,
}) => {
  const running = await launch({ appPath, args: ['last-argument'] })
  const page = await running.firstWindow()
  expect(await page.title()).toBe('Fixture')
  const facts = await running.electronApp.evaluate(({ app }) => ({
    name: app.getName(),
    version: app.getVersion(),
    appPath: app.getAppPath(),
    userData: app.getPath('userData'),
    isPackaged: app.isPackaged,
    electron: process.versions.electron,
  }))
  expect(facts).toEqual({
    name: 'Fixture App',
    version: '3.2.1',
    appPath,
    userData: userDataPath,
    isPackaged: false,
    electron: electronFromEnvironment().version,
  })
  await running.close()
  expect(running.output()).toContain('fixture ready with ["last-argument"]')
})

test('an app started by its main file runs with the folder of that file as its path', async ({ launch }) => {
  const running = await launch({ appPath: path.join(appPath, 'main.cjs') })
  await running.firstWindow()
  expect(await running.electronApp.evaluate(({ app }) => app.getAppPath())).toBe(appPath)
})

test('an app without a data folder gets a new one, which is removed after it quits', async () => {
  const running = await launchApp({ appPath })
  await running.firstWindow()
  expect(existsSync(running.userDataPath)).toBe(true)
  await running.close()
  expect(existsSync(running.userDataPath)).toBe(false)
})

test('a killed app ends at once, and that doesn’t count as a problem', async ({ launch }) => {
  const running = await launch({ appPath })
  await running.firstWindow()
  await running.kill()
  expect(running.process.signalCode).toBe('SIGKILL')
})

test.for(['refuses-to-quit', 'never-done-quitting'])(
  'an app that does not quit fails its test: %s',
  async (trouble) => {
    const running = await launchApp({ appPath, env: { FIXTURE_TROUBLE: trouble }, quitMs: 3000 })
    await running.firstWindow()
    await expect(running.close()).rejects.toThrow('The app did not quit within 3 s.')
    expect(running.process.signalCode).toBe('SIGKILL')
  },
)

test('an app that has quit does not fail its test when Electron 25 hangs, and is counted', async ({
  skip,
}) => {
  const onPardon = vi.fn(async () => {})
  const env = { FIXTURE_TROUBLE: 'runtime-stuck' }
  const running = await launchApp({ appPath, env, quitMs: 3000, onPardon })
  await running.firstWindow()
  await running.close()
  skip(running.process.signalCode === null, 'this Electron ends whatever garbage it finds')
  expect(onPardon).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('Electron did not end within 3 s'))
  expect(existsSync(running.userDataPath)).toBe(false)
})

async function endBadly({ electronApp, process, firstWindow }: LaunchedApp, how: string): Promise<void> {
  await firstWindow()
  const closed = once(process, 'close')
  // The app ends before it can answer.
  electronApp.evaluate(({ app }, word) => void app.emit('end-badly', word), how).catch(() => {})
  await closed
}

describe('an app that ends badly fails its test', () => {
  // The exit code of a crash differs between systems.
  test.for([
    ['abort', /The app ended (?:by SIG\w+|with exit code [1-9]\d*)/u],
    ['segfault', /The app ended (?:by SIG\w+|with exit code [1-9]\d*)/u],
    ['exit-7', /The app ended with exit code 7/u],
  ] as const)('%s', async ([trouble, text]) => {
    const running = await launchApp({ appPath })
    await endBadly(running, trouble)
    expect(running.problems()).toContainEqual({ kind: 'bad-end', text: expect.stringMatching(text) })
    await expect(running.close()).rejects.toThrow(text)
  })

  test('even when the test would have killed it', async () => {
    const running = await launchApp({ appPath })
    await endBadly(running, 'exit-7')
    await running.kill()
    await expect(running.close()).rejects.toThrow('exit code 7')
  })
})

describe('an app that has a problem fails its test', () => {
  const kinds: [AppProblem['kind'], string][] = [
    ['uncaught-exception', 'fixture threw'],
    ['unhandled-rejection', 'fixture rejected'],
    ['preload-error', 'missing-preload.cjs'],
    ['renderer-gone', 'crashed'],
    ['page-error', 'fixture page threw'],
    ['console-error', 'fixture complained'],
  ]
  test.for(kinds)('%s', async ([kind, text], { launch }) => {
    // A window whose page crashed at once may never be reported, so wait for the problem itself.
    const running = await launch({ appPath, env: { FIXTURE_TROUBLE: kind } })
    const found = expect.objectContaining({ kind, text: expect.stringContaining(text) })
    await expect.poll(() => running.problems()).toContainEqual(found)
    await expect(running.close()).rejects.toThrow(text)
  })
})

// The problem appears only while the test's apps are closed. If closing ignores it, this test fails.
test.fails('an app that is closed after the test fails it with its problem', async ({ launch }) => {
  const running = await launch({ appPath, env: { FIXTURE_TROUBLE: 'console-error' } })
  await running.firstWindow()
  await vi.waitUntil(() => running.problems().length > 0, { timeout: 60_000 })
})

test('a problem that a test expects does not fail it', async ({ launch }) => {
  const running = await launch({
    appPath,
    env: { FIXTURE_TROUBLE: 'console-error' },
    expectProblem: (problem) => problem.text.includes('fixture complained'),
  })
  await running.firstWindow()
  await running.close()
})
