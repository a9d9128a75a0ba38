import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type ElectronRuntime, resolveElectronRuntime } from './electron-runtime.ts'
import { electronNeeds, ensureSystemPackages, virtualDisplayNeeds } from './system-packages.ts'

/** Everything needed to open an Electron window on this machine. */
export interface Desktop {
  /** Its `args` contain the switches for the runtime and the display. */
  readonly runtime: ElectronRuntime
  readonly display: Display
}

/**
 * Prepares a machine so that Electron can open windows: system libraries, a runtime, a display.
 *
 * Close `display` at the end.
 *
 * @throws Error that says what to do if something is unavailable.
 */
export async function prepareDesktop(report: (line: string) => void = console.log): Promise<Desktop> {
  const runtime = await prepareRuntime(report)
  return onDisplay(runtime, await openDisplay(report))
}

/**
 * Prepares everything of {@link prepareDesktop} except the display, for callers that open several.
 *
 * @throws Error that says what to do if something is unavailable.
 */
export async function prepareRuntime(report: (line: string) => void = console.log): Promise<ElectronRuntime> {
  // Runs apt only once for all missing packages.
  const displayNeeds = hasVisibleDisplay() ? [] : virtualDisplayNeeds
  await ensureSystemPackages([...electronNeeds, ...displayNeeds], report)
  return await resolveElectronRuntime(report)
}

/** A prepared runtime and a display for it. */
export function onDisplay(runtime: ElectronRuntime, display: Display): Desktop {
  return { runtime: { ...runtime, args: [...runtime.args, ...display.args] }, display }
}

/** A screen where windows can open. */
interface Display {
  /** Whether it is invisible. */
  readonly isVirtual: boolean
  /** Variables for a child's environment; `undefined` removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Switches that Electron needs on it. */
  readonly args: readonly string[]
  close(): Promise<void>
}

/**
 * Whether a person can see windows that open.
 *
 * `LATCHKEY_HEADLESS=1` makes this false, so that windows don't pop up while you work.
 */
export function hasVisibleDisplay(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): boolean {
  // Only X11 can be replaced by a virtual screen.
  if (platform !== 'linux') return true
  if (env['LATCHKEY_HEADLESS'] === '1') return false
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/** Uses the existing screen, or starts a private virtual one. */
export async function openDisplay(report: (line: string) => void = console.log): Promise<Display> {
  if (hasVisibleDisplay()) return { isVirtual: false, env: {}, args: [], close: async () => {} }
  await ensureSystemPackages(virtualDisplayNeeds, report)
  return startVirtualDisplay(report)
}

async function startVirtualDisplay(report: (line: string) => void): Promise<Display> {
  // The server chooses a free number and writes it to descriptor 3 once it accepts connections.
  // Without `-noreset` it restarts when its last window closes, and refuses connections at that moment.
  const screen = ['-screen', '0', '1600x1200x24', '-noreset', '-nolisten', 'tcp']
  const server = spawn('Xvfb', ['-displayfd', '3', ...screen], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const number = await displayNumber(server)
  const stop = () => {
    server.kill()
  }
  // A signal that ends this process must not leave a display behind.
  const stopAndEnd = (signal: NodeJS.Signals) => {
    stop()
    process.kill(process.pid, signal)
  }
  process.once('exit', stop)
  process.once('SIGTERM', stopAndEnd)
  // The server must not keep this process alive. It exits with it.
  server.unref()
  report(`No display: using Xvfb on :${number}`)
  return {
    isVirtual: true,
    env: { DISPLAY: `:${number}`, WAYLAND_DISPLAY: undefined, XDG_SESSION_TYPE: 'x11' },
    // Without WebGL there is nothing to rasterize but pages, which Chromium does itself. That starts faster.
    args: ['--disable-gpu', '--disable-software-rasterizer'],
    close: async () => {
      process.off('exit', stop)
      process.off('SIGTERM', stopAndEnd)
      if (server.exitCode !== null || server.signalCode !== null) return
      const exited = new Promise((resolve) => server.once('exit', resolve))
      server.ref()
      stop()
      await exited
    },
  }
}

async function displayNumber(server: ChildProcess): Promise<string> {
  const failed = new Promise<never>((_resolve, reject) => {
    server.once('error', (error) => reject(new Error('Xvfb could not be started.', { cause: error })))
    const errorOutput = server.stderr === null ? '' : text(server.stderr)
    server.once('exit', async () => reject(new Error(`Xvfb ended at once:\n${await errorOutput}`)))
  })
  const pipe = server.stdio[3]
  if (!(pipe instanceof Readable)) throw new Error('Xvfb was started without a pipe for its number.')
  const firstLine = new Promise<string>((resolve) => {
    let received = ''
    pipe.setEncoding('utf8').on('data', (chunk: string) => {
      received += chunk
      if (received.includes('\n')) resolve(received.trim())
    })
  })
  const number = await Promise.race([firstLine, failed])
  failed.catch(() => {}) // it exits eventually, which is no longer a failure
  pipe.destroy()
  return number
}
