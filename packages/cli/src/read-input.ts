import type { LicenseService } from '@latchkey/services'
import * as z from 'zod/mini'
import { CommandError } from './command-error.ts'
import type { Terminal } from './terminal.ts'

/** The text that was passed to a command, and where it is from. */
interface GivenText {
  readonly text: string
  /** The subject of a message about it: `The argument`, `Standard input` or a file's name. */
  readonly place: string
}

/** Returns an argument, or for `-` what standard input has, which keeps a license key out of the shell's history. */
async function readGiven(argument: string, terminal: Terminal): Promise<GivenText> {
  const given =
    argument === '-'
      ? { text: await terminal.readInput(), place: 'Standard input' }
      : { text: argument, place: 'The argument' }
  if (given.text.trim() === '') throw new CommandError(`${given.place} is empty.`)
  return given
}

/** Finds the license key in the argument, exactly as the service has it. `-` reads standard input. */
export async function readLicenseKey(
  service: LicenseService,
  argument: string,
  terminal: Terminal,
): Promise<string> {
  const { text, place } = await readGiven(argument, terminal)
  if (/^\s*<?[^\s@<>]+@[^\s@<>]+>?\s*$/u.test(text)) {
    throw new CommandError(
      'An email address finds no license: pass the license key. Ask the customer for it, or look up the order in your store.',
    )
  }
  // As diagnostic reports and logs show a license key. Some services have keys in any form.
  const shortened = /•{4}/u
  const found = service.findLicenseKey(text)
  if (found.ok && !shortened.test(found.licenseKey)) return found.licenseKey
  if (!found.ok && found.code === 'foreign-character') {
    const codePoint = found.character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    const shown = /[\p{C}\ufffd]/u.test(found.character) ? '' : `“${found.character}”, `
    throw new CommandError(
      `${place} contains a character that doesn’t belong in a license key (${shown}U+${codePoint}). Copy the license key again.`,
    )
  }
  const code = found.ok ? 'no-license-key' : found.code
  if (code === 'several-license-keys') {
    throw new CommandError(`${place} contains more than one license key. Pass only one.`)
  }
  if (code === 'text-too-long') {
    throw new CommandError(`${place} is too long to search. Pass only the line with the license key.`)
  }
  const advice = shortened.test(text)
    ? 'In reports and logs it is shortened. Ask the customer for the whole license key.'
    : 'Pass the whole license key, as the customer received it.'
  if (code === 'incomplete-license-key') {
    throw new CommandError(`A part of the license key is missing. ${advice}`)
  }
  const isCommerce = service.name === 'commerce'
  const others = isCommerce
    ? ' The commerce service has only UUIDs: for a license of another service, set LATCHKEY_SERVICE. Behind a gateway, use latchkey doctor --gateway.'
    : ''
  throw new CommandError(
    `${place} contains no license key${isCommerce ? '' : ` of ${service.name}`}. ${advice}${others}`,
  )
}

/** A dot or two would be another path, and half of a surrogate pair can't be sent. */
const keyIdSchema = z.string().check(z.regex(/^(?!\.{1,2}$)[^\s\p{C}]+$/u))

/** Reads a device's id: one word. `-` reads standard input. */
export async function readKeyId(argument: string, terminal: Terminal): Promise<string> {
  const { text, place } = await readGiven(argument, terminal)
  const { success, data } = keyIdSchema.safeParse(text.trim())
  if (success) return data
  throw new CommandError(`${place} contains no key id. Copy it from the column KEY of keys list.`)
}
