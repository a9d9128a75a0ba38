import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ensureSystemPackages, keychainNeeds } from './runtime/system-packages.ts'
import { waitUntil } from './wait-until.ts'

/** A real keychain for a test, separate from that of the user who runs it. */
export interface Keychain {
  /** For `launchApp`: the address of the keychain. */
  readonly env: Readonly<Record<string, string>>
  /** For `launchApp`: makes Chromium use it. */
  readonly switches: readonly string[]
  /** Stops it and deletes its content. */
  close(): Promise<void>
}

/**
 * Starts a separate message bus and an unlocked keyring (Linux).
 *
 * @throws Error that says what to do if the programs are missing and can't be installed.
 */
export async function startKeychain(): Promise<Keychain> {
  if (process.platform !== 'linux') throw new Error('Only Linux can start a keychain for a test.')
  await ensureSystemPackages(keychainNeeds)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-keychain-'))
  const home = { XDG_RUNTIME_DIR: folder, XDG_DATA_HOME: path.join(folder, 'data') }
  const children: ChildProcess[] = []
  const stop = () => {
    for (const child of children) child.kill()
  }
  const close = async () => {
    process.off('exit', stop)
    await Promise.all(children.map(end))
    await rm(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)

  try {
    const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
      env: { ...process.env, ...home },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    children.push(bus)
    const env = { ...home, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus) }
    const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    children.push(keyring)
    keyring.stdin.end('a password that protects nothing')
    await waitUntil('the keyring is on the bus', async () =>
      (await isOnBus('org.freedesktop.secrets', { ...process.env, ...env })) ? true : undefined,
    )
    return { env, switches: ['--password-store=gnome-libsecret'], close }
  } catch (error) {
    await close()
    throw error
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error('dbus-daemon could not be started.', { cause: error })))
    child.once('exit', () => reject(new Error('dbus-daemon ended at once.')))
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve)
  })
}

async function isOnBus(name: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const method = 'org.freedesktop.DBus.NameHasOwner'
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', method, `string:${name}`]
  const { stdout } = await promisify(execFile)('dbus-send', args, { env })
  return stdout.includes('boolean true')
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill()
  })
}
