import type { LicenseService } from '@latchkey/services'
import { CommandError } from './command-error.ts'
import type { Terminal } from './terminal.ts'

/** The text that was passed to a command, and where it is from. */
interface GivenText {
  readonly text: string
  /** The subject of a message about it: `The argument` or `Standard input`. */
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

/** As diagnostic reports and logs show a license key. Some services have keys in any form. */
const shortened = /•{4}/u

/** Finds the license key in the argument, exactly as the service has it. `-` reads standard input. */
export async function readLicenseKey(
  service: LicenseService,
  argument: string,
  terminal: Terminal,
): Promise<string> {
  const given = await readGiven(argument, terminal)
  const found = service.findLicenseKey(given.text)
  if (found.ok && !shortened.test(found.licenseKey) && !isEmailAddress(given.text)) return found.licenseKey
  throw new CommandError(whyNoLicenseKey(service, given, found))
}

function isEmailAddress(text: string): boolean {
  return /^\s*<?[^\s@<>]+@[^\s@<>]+>?\s*$/u.test(text)
}

function whyNoLicenseKey(
  { name }: LicenseService,
  { text, place }: GivenText,
  found: ReturnType<LicenseService['findLicenseKey']>,
): string {
  if (isEmailAddress(text)) {
    return 'An email address finds no license: pass the license key. Ask the customer for it, or look up the order in your store.'
  }
  const advice = shortened.test(text)
    ? 'In reports and logs it is shortened. Ask the customer for the whole license key.'
    : 'Pass the whole license key, as the customer received it.'
  switch (found.ok ? 'no-license-key' : found.code) {
    case 'foreign-character': {
      const character = 'character' in found ? found.character : ''
      const codePoint = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      return `${place} contains a character that doesn’t belong in a license key (“${character}”, U+${codePoint}). Copy the license key again.`
    }
    case 'several-license-keys':
      return `${place} contains more than one license key. Pass only one.`
    case 'text-too-long':
      return `${place} is too long to search. Pass only the line with the license key.`
    case 'incomplete-license-key':
      return `A part of the license key is missing. ${advice}`
    default:
      return name === 'commerce'
        ? `${place} contains no license key. ${advice} The commerce service has only UUIDs: for a license of another service, set LATCHKEY_SERVICE. Behind a gateway, use latchkey doctor --gateway.`
        : `${place} contains no license key of ${name}. ${advice}`
  }
}

/** Reads a device's id: one word. `-` reads standard input. */
export async function readActivationId(argument: string, terminal: Terminal): Promise<string> {
  const { text, place } = await readGiven(argument, terminal)
  // A dot or two would be another path, and half of a surrogate pair can't be sent.
  if (/^(?!\.{1,2}$)[^\s\p{C}]+$/u.test(text.trim())) return text.trim()
  throw new CommandError(`${place} contains no activation id. Copy it from latchkey devices list.`)
}
