import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, test as base, beforeAll, expect, type TestAPI } from 'vitest'
import { type LaunchedApp, type LaunchOptions, launchApp } from './launch-app.ts'

/** The fixtures of {@link test}. */
export interface AppFixtures {
  /** A fresh folder for the app's data, removed after the test. */
  readonly userDataPath: string
  /**
   * Starts an app. All launches of one test share `userDataPath` by default, like relaunches do.
   *
   * Apps that are still running at the end of the test are closed, and their problems fail it.
   */
  readonly launch: (options: LaunchOptions) => Promise<LaunchedApp>
}

/** Vitest's `test` for apps on real Electron. */
export const test: TestAPI<AppFixtures> = base.extend<AppFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture depends on.
  userDataPath: async ({}, use) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-app-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  },
  launch: async ({ userDataPath }, use) => {
    const launched: LaunchedApp[] = []
    await use(async (options) => {
      const app = await launchApp({ userDataPath, ...options })
      launched.push(app)
      return app
    })
    const closed = await Promise.allSettled(launched.map((app) => app.close()))
    for (const outcome of closed) if (outcome.status === 'rejected') throw outcome.reason
  },
})

/**
 * Starts one app for all tests of a `describe`, which is faster than one for each. For tests that don't disturb each
 * other. A problem of the app fails the test that caused it.
 *
 * @returns how to get the app in a test.
 */
export function shareApp(options: LaunchOptions | (() => Promise<LaunchOptions>)): () => LaunchedApp {
  let app: LaunchedApp | undefined
  const running = (): LaunchedApp => {
    if (app === undefined) throw new Error('The shared app is only there in tests.')
    return app
  }
  beforeAll(async () => {
    app = await launchApp(typeof options === 'function' ? await options() : options)
  })
  afterEach(() => expect(running().problems()).toEqual([]))
  afterAll(() => app?.close())
  return running
}
