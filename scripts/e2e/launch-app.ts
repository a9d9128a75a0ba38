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

/** Keeps tests away from the keychain of the user who runs them. A test's own keychain is set by `switches`. */
const isolatedKeychainSwitches = ['--password-store=basic', '--use-mock-keychain']

/**
 * Chromium drops keys and clicks until a new page's first frame is on the display. A person can't be that quick, but a
 * test can. Playwright adds this switch when Electron has started, which has no effect on its pages.
 */
const earlyInputSwitch = '--allow-pre-commit-input'

keepChildOutput(watchPath)

/** How to start an app. */
export interface LaunchOptions {
  /** The app's folder, its main file or its `.asar`. */
  readonly appPath: string
  /** The app's data folder. @default a new folder that is removed at the end */
  readonly userDataPath?: string
  /** Merged into this process's environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What `process.argv` contains after the app's own path. */
  readonly args?: readonly string[]
  /** Chromium switches, before the app's path. */
  readonly switches?: readonly string[]
  /** The preferred color scheme in pages. @default 'light' */
  readonly colorScheme?: 'light' | 'dark'
  /** Whether a problem belongs to the test and must not fail it. */
  readonly expectProblem?: (problem: AppProblem) => boolean
  /** How long quitting may take. @default 20_000 */
  readonly quitMs?: number
  /** Called if a runtime was killed because it didn't exit. @default counts it for the last lines of `pnpm test` */
  readonly onPardon?: (line: string) => Promise<void>
}

/** A running app. */
export interface LaunchedApp extends AsyncDisposable {
  readonly electronApp: ElectronApplication
  /** The main process. */
  readonly process: ChildProcess
  readonly userDataPath: string
  /** Returns the first window. Waits for it if it isn't open yet. */
  firstWindow(): Promise<Page>
  /** Everything the app has written to stdout and stderr so far. */
  output(): string
  /** Problems so far that {@link LaunchOptions.expectProblem} did not claim. */
  problems(): readonly AppProblem[]
  /**
   * Quits the app like its user would and waits until it has exited. An Electron 25 that doesn't exit after the app
   * has quit is killed and counted: see {@link isPardonable}.
   *
   * @throws AppProblemsError if there were unexpected problems, such as an exit code other than 0. A second call doesn't
   * repeat them.
   * @throws Error if it doesn't exit.
   */
  close(): Promise<void>
  /** Kills the app, like a crash or a power cut would. Doesn't report problems. */
  kill(): Promise<void>
}

/**
 * Starts an app in the Electron that `pnpm e2e` prepared.
 *
 * Collects console errors of all pages, uncaught errors in pages, uncaught exceptions and unhandled rejections in the
 * main process, failed preload scripts, crashed renderers and a bad exit. Any of them makes `close()` throw.
 *
 * @throws Error with the app's output if it doesn't start.
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
      ...isolatedKeychainSwitches,
      earlyInputSwitch,
      ...(options.switches ?? []),
      '-r',
      watchPath,
      options.appPath,
      ...(options.args ?? []),
    ],
    env: definedValues({ ...process.env, ...options.env }),
    timeout: launchMs,
    // Otherwise Playwright turns the sandbox off even where it works.
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
    // Also check how an app exited that has exited by itself.
    wasKilled ||= !hasEnded()
    killTree(child)
    await ended
    // Lets Playwright notice, so that it doesn't wait for this app at exit.
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

/** Helper processes of a killed app may keep writing for a moment. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
