import { findAnyLicenseKey } from '@latchkey/services'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu

const missingIdAdvice = {
  license:
    'A license id is a whole UUID, not a shortened one. For a license of another service, set LATCHKEY_SERVICE.',
  key: 'Copy the UUID from the column KEY of keys list.',
} as const

/** Finds the one id in the argument. `-` reads standard input, which keeps the id out of the shell's history. */
export async function readId(what: 'license' | 'key', text: string, terminal: Terminal): Promise<string> {
  const given = text === '-' ? await terminal.readInput() : text
  const ids = new Set(Array.from(given.matchAll(uuid), ([id]) => id.toLowerCase()))
  const [id, ...others] = ids
  // Keys of other services may contain a UUID, such as INKWELL-1c285b2d-….
  const isOfOther = text !== '-' && new RegExp(`[\\w-]${id}`, 'iu').test(given)
  if (id === undefined || isOfOther) {
    throw new UsageError(`The argument contains no ${what} id. ${missingIdAdvice[what]}`)
  }
  if (others.length > 0)
    throw new UsageError(`The argument contains more than one ${what} id. Pass only one.`)
  return id
}

/** Whether a license key is one of the commerce service. */
export function isUuid(text: string): boolean {
  return text.length === 36 && text.search(uuid) === 0
}

/** Finds a license key of any service, in its exact form. `-` reads standard input. */
export async function readAnyLicenseKey(text: string, terminal: Terminal): Promise<string> {
  const found = findAnyLicenseKey(text === '-' ? await terminal.readInput() : text)
  if (found.ok) return found.licenseKey
  throw new UsageError(
    found.code === 'several-license-keys'
      ? 'The argument contains more than one license key. Pass only one.'
      : 'The argument contains no license key.',
  )
}
