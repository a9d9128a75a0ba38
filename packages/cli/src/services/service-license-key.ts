import type { LicenseService } from '@latchkey/services'
import { missingLicenseKey, refuseOtherText } from '../identifiers.ts'
import { readGiven } from '../input/read-given.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'

/** Finds the license key in the argument, exactly as the service has it. `-` reads standard input. */
export async function readLicenseKey(
  service: LicenseService,
  argument: string,
  terminal: Terminal,
): Promise<string> {
  const given = await readGiven(argument, terminal)
  const found = refuseOtherText(service.findLicenseKey(given.text))
  if (found.ok) return found.licenseKey
  throw missingLicenseKey(given, found.code, ` of ${service.name}`)
}

/** Reads a device's id: any text without white space. `-` reads standard input. */
export async function readKeyId(argument: string, terminal: Terminal): Promise<string> {
  const { text, place } = await readGiven(argument, terminal)
  const id = text.trim()
  if (/^\S+$/u.test(id)) return id
  throw new UsageError(`${place} contains no key id. Copy it from the column KEY of keys list.`)
}
