import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ensureSystemPackages, virtualDisplayNeeds } from './system-packages.ts'

/** A screen that windows can open on. */
export interface Display {
  /** Whether nobody sees it. */
  readonly isVirtual: boolean
  /** What to put into a child's environment; `undefined` removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Switches that Electron needs on it. */
  readonly args: readonly string[]
  close(): Promise<void>
}

/**
 * Whether somebody is looking: windows would open on a screen.
 *
 * `LATCHKEY_HEADLESS=1` says no, for those who do not want windows to pop up while they work.
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

/** Uses the screen that is there, or starts a private virtual one. */
export async function openDisplay(report: (line: string) => void = console.log): Promise<Display> {
  if (hasVisibleDisplay()) return { isVirtual: false, env: {}, args: [], close: async () => {} }
  await ensureSystemPackages(virtualDisplayNeeds, report)
  return startVirtualDisplay(report)
}

async function startVirtualDisplay(report: (line: string) => void): Promise<Display> {
  // The server picks a free number itself and writes it to descriptor 3 once it accepts connections.
  // Without `-noreset` it starts over when its last window closes, and turns away whoever comes at that moment.
  const screen = ['-screen', '0', '1600x1200x24', '-noreset', '-nolisten', 'tcp']
  const server = spawn('Xvfb', ['-displayfd', '3', ...screen], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const number = await displayNumber(server)
  const stop = () => {
    server.kill()
  }
  // Whoever ends us by a signal must not leave a display behind.
  const stopAndEnd = (signal: NodeJS.Signals) => {
    stop()
    process.kill(process.pid, signal)
  }
  process.once('exit', stop)
  process.once('SIGTERM', stopAndEnd)
  // The server must not keep its starter alive; it ends with it.
  server.unref()
  report(`No display: using Xvfb on :${number}`)
  return {
    isVirtual: true,
    env: { DISPLAY: `:${number}`, WAYLAND_DISPLAY: undefined, XDG_SESSION_TYPE: 'x11' },
    args: ['--disable-gpu'],
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
  failed.catch(() => {}) // it ends one day, and that is no failure any more
  pipe.destroy()
  return number
}
