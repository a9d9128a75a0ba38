import type { LicenseService } from '@latchkey/services'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

/** Finds the license key in the argument, exactly as the service has it. `-` reads standard input. */
export async function readLicenseKey(
  service: LicenseService,
  text: string,
  terminal: Terminal,
): Promise<string> {
  const found = service.findLicenseKey(text === '-' ? await terminal.readInput() : text)
  if (found.ok) return found.licenseKey
  throw new UsageError(
    found.code === 'several-license-keys'
      ? 'The argument contains more than one license key. Pass only one.'
      : `The argument contains no license key of ${service.name}.`,
  )
}

/** Reads a device's id: any text without white space. `-` reads standard input. */
export async function readKeyId(text: string, terminal: Terminal): Promise<string> {
  const id = (text === '-' ? await terminal.readInput() : text).trim()
  if (/^\S+$/u.test(id)) return id
  throw new UsageError('The argument contains no key id. Copy it from keys list.')
}
