import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { errorCode } from '../stored-file.ts'

/** Paths of the machine ID on Linux, the preferred one first. */
export const linuxMachineIdFiles: readonly string[] = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/** Error codes of a file that exists and can probably be read at the next launch. */
const momentary: readonly string[] = ['EAGAIN', 'EBUSY', 'EINTR', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']

/**
 * Returns the machine ID from the first file that has one; `null` if none does, or if one can't be read at the moment:
 * the next file may have another ID, and then the license would seem to be another device's. Doesn't use a child
 * process: a shell that falls back to the host name would give the same ID to every machine with that name.
 */
export function readLinuxMachineId(files: readonly string[]): string | null {
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
export function acceptReportedId(reported: string, hostname: string): string | null {
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
