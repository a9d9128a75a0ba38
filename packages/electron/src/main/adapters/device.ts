import type { ChildProcess } from 'node:child_process'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { DeviceIdentity, DevicePort } from '../../core/ports.ts'
import { unicodeClass } from '../../shared/license-key-text.ts'
import { errorCode } from './file-store.ts'
import { withinTime } from './time.ts'

/** What identifies this computer. */
export interface MachineDeviceOptions {
  readonly appId: string
  /** Replaces the machine ID, for fleets whose machines share one. */
  readonly id?: string | undefined
  /** Replaces the host name. */
  readonly label?: string | undefined
  readonly hostname: string
  readonly platform: NodeJS.Platform
  /** Paths of the machine ID on Linux. */
  readonly machineIdFiles: readonly string[]
  /** Asks the system for the machine ID on other platforms. May start a child process. */
  readonly reportMachineId: () => Promise<string>
}

/** Identifies this computer by its machine ID, which is read at most once per launch. */
export function createMachineDevice(options: MachineDeviceOptions): DevicePort {
  const { appId, hostname, platform, id: override } = options
  let machineId: Promise<string | null> | null = null

  const fingerprintOf = (id: string): string =>
    createHmac('sha256', appId).update(id).digest('hex').slice(0, 16)

  async function findMachineId(): Promise<string | null> {
    if (platform === 'linux') return readLinuxMachineId(options.machineIdFiles)
    // Starting a process blocks the main thread, so let the launch decision finish first.
    await new Promise<void>((resolve) => setImmediate(resolve))
    try {
      return acceptReportedId(await options.reportMachineId(), hostname)
    } catch {
      // Managed Windows may forbid the command. Then the random ID is used.
      return null
    }
  }

  return {
    async identify(knownRandomId): Promise<DeviceIdentity> {
      const label = deviceLabel(hostname, options.label)
      if (override !== undefined) {
        return { fingerprint: fingerprintOf(override), label, source: 'override', randomId: null }
      }
      machineId ??= findMachineId()
      const found = await machineId
      if (found !== null) {
        return { fingerprint: fingerprintOf(found), label, source: 'machine-id', randomId: null }
      }
      const randomId = knownRandomId ?? randomUUID()
      return { fingerprint: fingerprintOf(randomId), label, source: 'random', randomId }
    },
  }
}

const longestLabel = 64

/**
 * Returns a recognizable name for this computer: the host name without its domain, or the developer's own label. One
 * line, at most 64 characters, never empty.
 */
export function deviceLabel(hostname: string, override: string | undefined): string {
  const wanted = tidy(override ?? '')
  return wanted === '' ? tidy(hostname.split('.')[0] ?? '') || 'This computer' : wanted
}

function tidy(text: string): string {
  // Most host names are tidy.
  if (text.length <= longestLabel && /^[\w-]+$/.test(text)) return text
  const invisible = new RegExp(`[${['Cc', 'Cf', 'Zl', 'Zp'].map(unicodeClass).join('')}]+`, 'gu')
  const visible = text.replace(invisible, ' ').replace(/\s+/gu, ' ')
  // Count code points, so that no character is cut in two.
  return Array.from(visible.trim()).slice(0, longestLabel).join('').trim()
}

/** Paths of the machine ID on Linux, the preferred one first. */
export const linuxMachineIdFiles: readonly string[] = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/** Error codes of a file that exists and can probably be read at the next launch. */
const momentary: readonly string[] = ['EAGAIN', 'EBUSY', 'EINTR', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']

/**
 * Returns the machine ID from the first file that has one; `null` if none does, or if one can't be read at the moment:
 * the next file may have another ID, and then the license would seem to be another device's. Doesn't use a child
 * process: a shell that falls back to the host name would give the same ID to every machine with that name.
 */
function readLinuxMachineId(files: readonly string[]): string | null {
  for (const file of files) {
    const text = textIn(file)
    if (text === null) return null
    const id = text.trim().toLowerCase()
    if (/^[0-9a-f]{32}$/u.test(id) && isDistinctive(id)) return id
  }
  return null
}

/**
 * Returns a file's text; an empty one if it can't be read, and `null` if only this attempt failed. It is read
 * synchronously: the file has 33 bytes, and an app that is starting takes far longer to get back to an asynchronous answer.
 */
function textIn(file: string): string | null {
  try {
    // Reading a pipe in its place would block forever.
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : ''
  } catch (error) {
    return momentary.includes(errorCode(error)) ? null : ''
  }
}

/**
 * Returns a command's machine ID in lower case if it is unique to this machine; otherwise `null`. node-machine-id
 * returns the hash of the host name if it finds no ID, and the hash of an empty text if its command fails.
 */
function acceptReportedId(reported: string, hostname: string): string | null {
  const id = reported.trim().toLowerCase()
  const stripped = hostname.replace(/\s+/gu, '').toLowerCase()
  const traps = [stripped, sha256(stripped), sha256(hostname), sha256('')]
  if (traps.includes(id)) return null
  const hexDigits = id.replace(/[{}-]/gu, '')
  return /^[0-9a-f]{32}(?:[0-9a-f]{32})?$/u.test(hexDigits) && isDistinctive(hexDigits) ? id : null
}

/**
 * Rejects IDs that many machines share: a single repeated digit, and the ID that all Whonix and Kicksecure systems
 * use.
 */
function isDistinctive(hexDigits: string): boolean {
  return new Set(hexDigits).size > 1 && hexDigits !== 'b08dfa6083e7567a1921a715000001fb'
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const timeLimitMs = 5000

/**
 * Gets the machine ID on Windows or macOS with node-machine-id's command.
 *
 * The library runs the command without a time limit, opens a console window on Windows, and throws inside the command's
 * callback, where nobody can catch it, if the output is unexpected. So `exec` is replaced during the synchronous call
 * that starts the command.
 * https://github.com/automation-stack/node-machine-id/issues/33
 *
 * @throws the error that prevents reading the ID.
 */
export async function reportMachineId(): Promise<string> {
  // Linux needs neither.
  const [{ default: childProcess }, { default: nodeMachineId }] = await Promise.all([
    import('node:child_process'),
    import('node-machine-id'),
  ])
  const answer = new Promise<string>((resolve, reject) => {
    const { exec } = childProcess
    const guarded = (
      command: string,
      _options: object,
      callback: (error: Error | null, stdout: string, stderr: string) => void,
    ): ChildProcess =>
      exec(command, { windowsHide: true, timeout: timeLimitMs }, (error, stdout, stderr) => {
        try {
          callback(error, stdout, stderr)
        } catch (thrown) {
          reject(thrown)
        }
      })

    Object.defineProperty(childProcess, 'exec', { value: guarded, configurable: true, writable: true })
    try {
      nodeMachineId.machineId(true).then(resolve, reject)
    } finally {
      Object.defineProperty(childProcess, 'exec', { value: exec, configurable: true, writable: true })
    }
  })
  return withinTime(answer, timeLimitMs)
}
