import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'

/** An Electron app started as a user would start it, without a debugger that could slow it down. */
interface ElectronProgram {
  /**
   * Waits for the first line on stdout that starts with this word. Returns the rest of the line and when it arrived.
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
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', stop)
      resolve()
    })
  })
  const output: string[] = []
  const lines: { readonly text: string; readonly afterMs: number }[] = []
  const listeners = new Set<() => void>()
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push({ text, afterMs: performance.now() - startedMs })
    for (const listener of listeners) listener()
  })
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))

  return {
    async line(word) {
      const found = new Promise<{ rest: string; afterMs: number }>((resolve) => {
        const look = () => {
          const line = lines.find(({ text }) => text.startsWith(`${word} `) || text === word)
          if (line === undefined) return
          listeners.delete(look)
          resolve({ rest: line.text.slice(word.length).trim(), afterMs: line.afterMs })
        }
        listeners.add(look)
        look()
      })
      const failed = ended.then(() => {
        throw new Error(`The app ended without saying "${word}":\n${output.join('').slice(-2_000)}`)
      })
      failed.catch(() => {}) // it also fires after the line
      return Promise.race([found, failed])
    },
    async end() {
      stop()
      await ended
    },
  }
}

/** Bundles one of the small apps in `apps` for the oldest supported Electron. */
export async function bundleApp(app: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, 'apps', `${app}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18.15',
    external: ['electron'],
    // A CommonJS bundle has no import.meta. The app works without it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
}

/** What one launch cost. */
export interface Decided {
  readonly createMs: number
  readonly startMs: number
  readonly mainThreadMs: number | null
  readonly entitled: boolean
}

const decidedSchema = z.object({
  createMs: z.number(),
  startMs: z.number(),
  mainThreadMs: z.nullable(z.number()),
  entitled: z.boolean(),
})
const activatedSchema = z.object({ ok: z.boolean(), activateMs: z.number() })

/** The small app of this folder, bundled, with its data and its service. */
interface StartApp {
  readonly appPath: string
  readonly userDataPath: string
  readonly env: Readonly<Record<string, string>>
}

/** Launches it on an activated device until its state is decided. */
export async function decideOnce({ appPath, userDataPath, env }: StartApp): Promise<Decided> {
  const program = startElectronProgram({ appPath, userDataPath, env: { ...env } })
  const decided = decidedSchema.parse(JSON.parse((await program.line('decided')).rest))
  await program.end()
  if (!decided.entitled) throw new Error('The device was not entitled.')
  return decided
}

/** Activates the device. @returns how long the user waited, in milliseconds. */
export async function activateForStart(
  { appPath, userDataPath, env }: StartApp,
  key: string,
): Promise<number> {
  const program = startElectronProgram({ appPath, userDataPath, env: { ...env, BENCH_LICENSE_KEY: key } })
  const { ok, activateMs } = activatedSchema.parse(JSON.parse((await program.line('activated')).rest))
  await program.end()
  if (!ok) throw new Error('The device could not be activated.')
  return activateMs
}
