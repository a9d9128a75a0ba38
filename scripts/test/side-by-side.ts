import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Emulator, type EmulatorOptions, startEmulator } from '@latchkey/emulator'
import { aroundEach, onTestFinished, type TestContext } from 'vitest'

const contexts = new AsyncLocalStorage<TestContext>()

/**
 * Lets the helpers of a file with concurrent tests find out which test called them. Call it once, at the top of the file.
 *
 * @example
 * ```ts
 * allowConcurrentTests()
 * describe.concurrent('latchkey, installed', () => { … })
 * ```
 */
export function allowConcurrentTests(): void {
  aroundEach((runTest, context) => contexts.run(context, runTest))
}

/**
 * Cleans up at the end of the test that called this, like Vitest's `onTestFinished`. That one knows only one test at a
 * time; this one also works in concurrent tests of a file that calls {@link allowConcurrentTests}.
 */
export function onTestEnd(cleanUp: () => Promise<void> | void): void {
  const register = contexts.getStore()?.onTestFinished ?? onTestFinished
  register(cleanUp)
}

/** A folder that is removed at the end of the test that called this. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'))
  onTestEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts an emulator that asks for the token `demo`. It is closed at the end of the test that called this. */
export async function emulatorForTest(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ accessToken: 'demo', ...options })
  onTestEnd(() => emulator.close())
  return emulator
}
