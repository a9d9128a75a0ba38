import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { type BuildOptions, build } from 'esbuild'
import * as z from 'zod/mini'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'
import type { BenchReport } from './report.ts'

/** An Electron app started as a user would start it, without a debugger that could slow it down. */
interface ElectronProgram {
  /**
   * Waits for the first line on stdout that starts with this word, once. Returns the rest of the line and when it arrived.
   *
   * @throws Error if the app exits without it.
   */
  line(word: string): Promise<{ readonly rest: string; readonly afterMs: number }>
  /** Asks the app to quit and waits until it has exited. */
  end(): Promise<void>
}

/** The app to start. */
interface ElectronProgramOptions {
  /** Folder or main file of the app. */
  readonly appPath: string
  readonly userDataPath: string
  readonly env?: Readonly<Record<string, string>>
  /** A script that is loaded into the main process before the app. */
  readonly preloadedScript?: string
}

/** Starts an app in the prepared Electron; `afterMs` counts from here. */
export function startElectronProgram(options: ElectronProgramOptions): ElectronProgram {
  const { executablePath, args } = electronFromEnvironment()
  const preloaded = options.preloadedScript === undefined ? [] : ['-r', options.preloadedScript]
  const startedMs = performance.now()
  const child = spawn(
    executablePath,
    [...args, `--user-data-dir=${options.userDataPath}`, ...preloaded, options.appPath],
    { env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const stop = () => child.kill()
  process.once('exit', stop)
  const ended = once(child, 'exit').finally(() => process.off('exit', stop))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return {
    async line(word) {
      for await (const text of createInterface({ input: child.stdout })) {
        const afterMs = performance.now() - startedMs
        if (text === word || text.startsWith(`${word} `))
          return { rest: text.slice(word.length).trim(), afterMs }
      }
      throw new Error(`The app ended without saying "${word}":\n${errors.slice(-2_000)}`)
    },
    async end() {
      stop()
      await ended
    },
  }
}

/** Bundles a main process from a module of this folder, for the oldest supported Electron. */
export async function bundle(entry: string, outfile: string, options: BuildOptions = {}): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18.15',
    external: ['electron'],
    // A CommonJS bundle has no import.meta. The app works without it.
    logOverride: { 'empty-import-meta': 'silent' },
    ...options,
  })
}

const watchPath = path.join(import.meta.dirname, 'launch-watch.cjs')
const windowSchema = z.object({ url: z.string() })

/**
 * Launches an activated notebook once.
 *
 * @returns the time from the start of the process to the first painted window, in milliseconds.
 * @throws Error if that isn't the main window: the bench would measure an activation window instead.
 */
export async function firstWindowAfter(app: ElectronProgramOptions): Promise<number> {
  const program = startElectronProgram({ ...app, preloadedScript: watchPath })
  const { rest, afterMs } = await program.line('gated-window')
  await program.end()
  const { url } = windowSchema.parse(JSON.parse(rest))
  if (/^file:.*\/renderer\/index\.html$/u.test(url)) return afterMs
  throw new Error(`The launch opened ${url || 'a window without a page'}, not the main window.`)
}

/** What a benchmark on Electron uses. */
interface BenchSetup {
  readonly emulator: Emulator
  /** Empty, and removed at the end. */
  readonly folder: string
  /** The emulator's address and token, for the small apps. */
  readonly env: Readonly<Record<'BENCH_SERVICE_URL' | 'BENCH_SERVICE_TOKEN', string>>
}

/** Runs a benchmark on real Electron with an emulated service. */
export async function withService(
  report: BenchReport,
  run: (setup: BenchSetup) => Promise<void>,
): Promise<void> {
  await report.desktop()
  const emulator = await startEmulator({ accessToken: 'demo' })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-bench-'))
  try {
    await run({
      emulator,
      folder,
      env: { BENCH_SERVICE_URL: emulator.baseUrl, BENCH_SERVICE_TOKEN: 'demo' },
    })
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
