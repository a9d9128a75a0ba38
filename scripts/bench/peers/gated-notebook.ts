import path from 'node:path'
import * as z from 'zod/mini'
import { startElectronProgram } from '../electron-program.ts'
import { expectMainWindow } from '../expect-main-window.ts'
import { type PeerEnvironment, toPeerVariables } from './peer-environment.ts'
import type { AnswerDelay } from './peer-service.ts'

const watchPath = path.join(import.meta.dirname, 'gated-launch-watch.cjs')
const windowSchema = z.object({ url: z.string(), mainThreadMs: z.nullable(z.number()) })
const settledSchema = z.object({ mainThreadMs: z.nullable(z.number()), privateMiB: z.number() })

/** The cost of one launch. */
export interface GatedLaunch {
  /** From the start of the process to the first painted window, in milliseconds. */
  readonly windowMs: number
  /** Processor time of the main thread until then; `null` if the system doesn't report it. */
  readonly mainThreadMs: number | null
}

/** What the main process has used some time after the first window. */
export interface SettledLaunch {
  /** Processor time of the main thread; `null` if the system doesn't report it. */
  readonly mainThreadMs: number | null
  readonly privateMiB: number
}

/** A notebook that is ready to be measured. */
export interface GatedNotebook {
  readonly name: string
  readonly mainFile: string
  readonly userDataPath: string
  /** The address of its service; `null` for the notebook without a gate. */
  readonly service: PeerServiceControl | null
}

/** The service of one notebook. */
export interface PeerServiceControl {
  readonly environment: Omit<PeerEnvironment, 'isActivating'>
  /** The number of requests received. */
  requests(): number
  setDelay(delayMs: AnswerDelay): void
}

/** Activates the device, so that later launches find an activation. */
export async function activateNotebook(notebook: GatedNotebook): Promise<void> {
  if (notebook.service === null) return
  const program = start(notebook, toPeerVariables({ ...notebook.service.environment, isActivating: true }))
  await program.line('activated')
  await program.end()
}

/** Launches it once, until the first painted window. */
export async function launchNotebook(notebook: GatedNotebook): Promise<GatedLaunch> {
  const program = start(notebook, launchVariables(notebook))
  const { rest, afterMs } = await program.line('gated-window')
  await program.end()
  const { url, mainThreadMs } = windowSchema.parse(JSON.parse(rest))
  expectMainWindow(url)
  return { windowMs: afterMs, mainThreadMs }
}

/** Launches it once, and waits after the first window. */
export async function settleNotebook(notebook: GatedNotebook, settleMs: number): Promise<SettledLaunch> {
  const program = start(notebook, { ...launchVariables(notebook), BENCH_SETTLE_MS: String(settleMs) })
  const { rest } = await program.line('settled')
  await program.end()
  return settledSchema.parse(JSON.parse(rest))
}

function launchVariables({ service }: GatedNotebook) {
  return service === null ? {} : toPeerVariables({ ...service.environment, isActivating: false })
}

function start({ mainFile, userDataPath }: GatedNotebook, env: Readonly<Record<string, string>>) {
  return startElectronProgram({ appPath: mainFile, userDataPath, env, preloadedScript: watchPath })
}
