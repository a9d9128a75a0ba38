import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { endProblem, isPardonable } from './app-end.ts'
import { type AppProblem, AppProblemsError, ownOutput, problemsInOutput } from './app-problem.ts'
import { childOutput, keepChildOutput } from './child-output.ts'
import { electronFromEnvironment } from './electron-environment.ts'
import { recordPardon } from './pardons.ts'

const watchPath = path.join(import.meta.dirname, 'main-process-watch.cjs')
const launchMs = 60_000

/** Tests neither ask nor fill the keychain of whoever runs them; one of their own comes by `switches`. */
const strangersKeychainStaysShut = ['--password-store=basic', '--use-mock-keychain']

keepChildOutput(watchPath)

/** How to start an app. */
export interface LaunchOptions {
  /** The app's folder, its main file or its `.asar`. */
  readonly appPath: string
  /** Where the app keeps its data. @default a fresh folder that is removed at the end */
  readonly userDataPath?: string
  /** Put over this process's environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What the app finds in `process.argv` after its own path. */
  readonly args?: readonly string[]
  /** Chromium switches, put before the app's path. */
  readonly switches?: readonly string[]
  /** What pages see as the preferred scheme. @default 'light' */
  readonly colorScheme?: 'light' | 'dark'
  /** Says that a problem belongs to the test and must not fail it. */
  readonly expectProblem?: (problem: AppProblem) => boolean
  /** How long quitting may take. @default 20_000 */
  readonly quitMs?: number
  /** Hears of a runtime that was killed because it did not end. @default counted in the closing lines of `pnpm test` */
  readonly onPardon?: (line: string) => Promise<void>
}

/** A running app. */
export interface LaunchedApp extends AsyncDisposable {
  readonly electronApp: ElectronApplication
  /** The main process. */
  readonly process: ChildProcess
  readonly userDataPath: string
  /** The first window, waited for if it has yet to open. */
  firstWindow(): Promise<Page>
  /** Everything the app has written to stdout and stderr so far. */
  output(): string
  /** Problems so far that {@link LaunchOptions.expectProblem} did not claim. */
  problems(): readonly AppProblem[]
  /**
   * Quits the app as its user would and waits until it has ended. An Electron 25 that does not end after the app has
   * quit is killed, and counted: see {@link isPardonable}.
   *
   * @throws AppProblemsError when it had problems nobody expected, such as an exit code other than 0; a second call does
   * not repeat them.
   * @throws Error when it does not end.
   */
  close(): Promise<void>
  /** Ends the app at once, as a crash or a power cut would; says nothing of problems. */
  kill(): Promise<void>
}

/**
 * Starts an app in the Electron that `pnpm e2e` prepared.
 *
 * Errors on the console of any page, uncaught errors in pages, uncaught exceptions and unhandled rejections in the
 * main process, failed preloads, crashed renderers and a bad end are collected and make `close()` throw.
 *
 * @throws Error with the app's output when it does not start.
 */
export async function launchApp(options: LaunchOptions): Promise<LaunchedApp> {
  const { quitMs = 20_000, onPardon = recordPardon } = options
  const runtime = electronFromEnvironment()
  const ownsUserData = options.userDataPath === undefined
  const userDataPath = options.userDataPath ?? (await mkdtemp(path.join(os.tmpdir(), 'latchkey-app-')))

  const electronApp = await _electron.launch({
    executablePath: runtime.executablePath,
    args: [
      ...runtime.args,
      `--user-data-dir=${userDataPath}`,
      ...strangersKeychainStaysShut,
      ...(options.switches ?? []),
      '-r',
      watchPath,
      options.appPath,
      ...(options.args ?? []),
    ],
    env: definedValues({ ...process.env, ...options.env }),
    timeout: launchMs,
    // Without it Playwright turns the sandbox off even where it works.
    chromiumSandbox: !runtime.args.includes('--no-sandbox'),
    ...(options.colorScheme === undefined ? {} : { colorScheme: options.colorScheme }),
  })

  const child = electronApp.process()
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ended = hasEnded()
    ? Promise.resolve()
    : new Promise<void>((resolve) => child.once('close', () => resolve()))
  const output = () => childOutput(child)

  let wasKilled = false
  const problems = () => {
    const end =
      hasEnded() && !wasKilled ? endProblem({ exitCode: child.exitCode, signal: child.signalCode }) : null
    const all = [...problemsInOutput(output()), ...(end === null ? [] : [end])]
    return all.filter((problem) => !options.expectProblem?.(problem))
  }
  const kill = async () => {
    // An app that has ended by itself is still asked how.
    wasKilled ||= !hasEnded()
    killTree(child)
    await ended
    // Lets Playwright notice, so that it does not wait for this app when we end.
    await electronApp.close().catch(() => {})
    if (ownsUserData) await removeFolder(userDataPath)
  }
  let toldProblems = false
  const close = async () => {
    if (!hasEnded()) {
      const quit = electronApp.close().then(
        () => true,
        () => true,
      )
      if (!(await Promise.race([quit, sleep(quitMs, false, { ref: false })]))) {
        const isRuntimeStuck = isPardonable(runtime.version, output())
        await kill()
        if (!isRuntimeStuck) {
          throw new Error(
            `The app did not quit within ${quitMs / 1000} s.\n\nIts output:\n${ownOutput(output())}`,
          )
        }
        await onPardon(`The app had quit, but Electron did not end within ${quitMs / 1000} s and was killed.`)
      }
    }
    await ended
    if (ownsUserData) await removeFolder(userDataPath)
    const unexpected = problems()
    if (unexpected.length === 0 || toldProblems) return
    toldProblems = true
    throw new AppProblemsError(unexpected, output())
  }

  return {
    electronApp,
    process: child,
    userDataPath,
    firstWindow: () => electronApp.firstWindow(),
    output,
    problems,
    close,
    kill,
    [Symbol.asyncDispose]: close,
  }
}

function killTree(child: ChildProcess): void {
  // On Windows the child is a shell, and killing it would leave the app behind.
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
  else child.kill('SIGKILL')
}

function definedValues(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

/** Helper processes of a killed app may still write for a moment. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
