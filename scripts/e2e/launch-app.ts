import { type ChildProcess, spawnSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import * as z from 'zod/mini'
import { electronFromEnvironment } from './electron-environment.ts'

const watchPath = path.join(import.meta.dirname, 'main-process-watch.cjs')
const launchMs = 60_000
const quitMs = 60_000
const stuckMs = 20_000

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
   * has quit is killed: see {@link isRuntimeStuck}.
   *
   * @throws Error if there were unexpected problems, such as an exit code other than 0. A second call doesn't
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
    const atEnd = hasEnded() && !wasKilled ? endProblems(child) : []
    return [...problemsInOutput(output()), ...atEnd].filter((problem) => !options.expectProblem?.(problem))
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
      const hasQuitWithin = (ms: number) => Promise.race([quit, sleep(ms, false, { ref: false })])
      // A stuck Electron 25 never ends, so don't wait longer for it than a quick one needs.
      const isEnded = await hasQuitWithin(stuckMs)
      const isStuck = !isEnded && isRuntimeStuck(runtime.version, output())
      if (isStuck || !(isEnded || (await hasQuitWithin(quitMs - stuckMs)))) {
        await kill()
        if (!isStuck) throw new Error(`The app did not quit.\n\nIts output:\n${ownOutput(output())}`)
        console.warn('The app had quit, but Electron 25 did not end and was killed.')
      }
    }
    await ended
    if (ownsUserData) await removeFolder(userDataPath)
    const unexpected = problems()
    if (unexpected.length === 0 || toldProblems) return
    toldProblems = true
    const list = unexpected.map(({ kind, text }) => `- ${kind}: ${text}`).join('\n')
    throw new Error(`The app had problems:\n${list}\n\nIts output:\n${ownOutput(output()) || '(none)'}`)
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

/** Returns what is wrong with an app's exit; nothing if it quit as its user requested. */
function endProblems({ exitCode, signalCode }: ChildProcess): readonly AppProblem[] {
  if (exitCode === 0) return []
  const how = signalCode === null ? `with exit code ${exitCode}` : `by ${signalCode}`
  return [{ kind: 'bad-end', text: `The app ended ${how}.` }]
}

/**
 * Whether a runtime that doesn't exit has this known bug: Electron 25 loops forever if an object in a
 * `FinalizationRegistry` is collected after the app has quit (https://github.com/nodejs/node/issues/47748).
 */
function isRuntimeStuck(electronVersion: string, output: string): boolean {
  return electronVersion.startsWith('25.') && /^\[app-quit\]$/m.test(output)
}

const problemKinds = [
  'uncaught-exception',
  'unhandled-rejection',
  'preload-error',
  'renderer-gone',
  'page-error',
  'console-error',
  'bad-end',
] as const

/** Something that doesn't happen in a healthy app. */
export interface AppProblem {
  readonly kind: (typeof problemKinds)[number]
  /** The message, with a stack if there is one. */
  readonly text: string
}

const problemSchema = z.object({ kind: z.enum(problemKinds), text: z.string() })

/** Finds what `main-process-watch.cjs` wrote into a process's output. */
function problemsInOutput(output: string): AppProblem[] {
  const lines = output.matchAll(/^\[app-problem\] (\{.*\})$/gm)
  return [...lines].map((match) => problemSchema.parse(JSON.parse(match[1] ?? '')))
}

/** Removes what Chromium and the debugger write in every run. */
function ownOutput(output: string): string {
  const noise = /ERROR:bus\.cc|^Debugger |^For help, see|^DevTools listening|^\[app-(?:problem|quit)\]/
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !noise.test(line))
  return lines.join('\n')
}

const outputs = new WeakMap<object, string[]>()

/**
 * Keeps all output of child processes whose command line contains `marker`, from the first byte.
 *
 * Playwright returns an app's process only after it has connected to it, which loses earlier output. Node publishes
 * every child process on this channel.
 */
function keepChildOutput(marker: string): void {
  subscribe('child_process', (message) => {
    if (!isSpawnMessage(message)) return
    const child = message.process
    // Its streams and arguments don't exist yet.
    child.once('spawn', () => {
      if (!child.spawnargs.some((arg) => arg.includes(marker))) return
      const chunks: string[] = []
      outputs.set(child, chunks)
      for (const stream of [child.stdout, child.stderr]) {
        const decoder = new StringDecoder('utf8')
        stream?.on('data', (chunk: Buffer) => chunks.push(decoder.write(chunk)))
      }
    })
  })
}

/** Returns what a child has written to stdout and stderr so far; see {@link keepChildOutput}. */
function childOutput(child: ChildProcess): string {
  return (outputs.get(child) ?? []).join('')
}

function isSpawnMessage(message: unknown): message is { process: ChildProcess } {
  return typeof message === 'object' && message !== null && 'process' in message
}
