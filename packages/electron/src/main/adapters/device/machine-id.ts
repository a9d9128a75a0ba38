import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Where Linux keeps its machine ID, the better place first. */
export const linuxMachineIdFiles: readonly string[] = ['/etc/machine-id', '/var/lib/dbus/machine-id']

/**
 * The machine ID from the first of the files that holds one; `null` when none does. No child process: a shell that
 * falls back on the host name would hand the same ID to every machine of that name.
 */
export async function readLinuxMachineId(files: readonly string[]): Promise<string | null> {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const id = text.trim().toLowerCase()
    if (/^[0-9a-f]{32}$/u.test(id) && isDistinctive(id)) return id
  }
  return null
}

/**
 * The machine ID a command reported, in lower case, when it can tell machines apart; `null` otherwise. node-machine-id
 * answers with the hash of the host name where it finds no ID, and with the hash of nothing where its command fails.
 */
export function acceptReportedId(reported: string, hostname: string): string | null {
  const id = reported.trim().toLowerCase()
  const stripped = hostname.replace(/\s+/gu, '').toLowerCase()
  const traps = [stripped, sha256(stripped), sha256(hostname), sha256('')]
  if (traps.includes(id)) return null
  const hexDigits = id.replace(/[{}-]/gu, '')
  return /^[0-9a-f]{32}(?:[0-9a-f]{32})?$/u.test(hexDigits) && isDistinctive(hexDigits) ? id : null
}

/** IDs that many machines share: all one digit, and the one that Whonix and Kicksecure give to everybody. */
function isDistinctive(hexDigits: string): boolean {
  return new Set(hexDigits).size > 1 && hexDigits !== 'b08dfa6083e7567a1921a715000001fb'
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
