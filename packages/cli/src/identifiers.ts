import { type FoundLicenseKey, findAnyLicenseKey } from '@latchkey/services'
import { findLicenseUuid, findOnlyUuid, isPartOfWord } from './input/find-uuid.ts'
import { isIntroducedOtherwise } from './input/is-introduced-otherwise.ts'
import { type GivenText, readGiven } from './input/read-given.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const names = { license: 'license key', key: 'key id' } as const

/** What to do with a license key that isn't a UUID. */
export const otherServiceAdvice = 'For a license of another service, set LATCHKEY_SERVICE.'

const missingIdAdvice = {
  license: `A license key is a whole UUID with its hyphens, not a shortened one. ${otherServiceAdvice} A gateway’s address takes only UUIDs here: ask the service itself, or check the gateway with latchkey doctor --gateway.`,
  key: 'Copy the UUID from the column KEY of keys list.',
} as const

const noEmailAddress =
  'An email address finds no license: pass the license key. Ask the customer for it, or look up the order in your store.'

/** As diagnostic reports and logs show a license key. */
const shortened = /•{4}/u

function isEmailAddress(text: string): boolean {
  return /^\s*<?[^\s@<>]+@[^\s@<>]+>?\s*$/u.test(text)
}

/** Finds the one license key of the commerce service, or the id of a device's key, in the argument. */
export async function readId(what: 'license' | 'key', argument: string, terminal: Terminal): Promise<string> {
  const { text, place } = await readGiven(argument, terminal)
  if (what === 'license' && isEmailAddress(text)) throw new UsageError(noEmailAddress)
  const found = what === 'license' ? findLicenseUuid(text) : findOnlyUuid(text)
  if (!found.ok && found.code === 'several-uuids') {
    throw new UsageError(`${place} contains more than one ${names[what]}. Pass only one.`)
  }
  // Keys of other services may contain a UUID, such as INKWELL-1c285b2d-….
  const isOther =
    !found.ok ||
    (argument !== '-' && isPartOfWord(found.id, text)) ||
    (what === 'license' && isIntroducedOtherwise(found.id, text))
  if (isOther) {
    throw new UsageError(`${place} contains no ${names[what]}. ${missingIdAdvice[what]}`)
  }
  return found.id
}

/** Whether a license key is one of the commerce service. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text)
}

/** Finds a license key of any service in the argument, in its exact form. */
export async function readAnyLicenseKey(argument: string, terminal: Terminal): Promise<string> {
  const given = await readGiven(argument, terminal)
  const found = refuseOtherText(findAnyLicenseKey(given.text))
  const isOther = (id: string): boolean => isUuid(id) && isIntroducedOtherwise(id, given.text)
  if (found.ok && !isOther(found.licenseKey)) return found.licenseKey
  const introduced = findLicenseUuid(given.text)
  // In an email with an order number, the app asks its user. Here, the word before a key can tell.
  if (introduced.ok && !isPartOfWord(introduced.id, given.text) && !isOther(introduced.id)) {
    return introduced.id
  }
  throw missingLicenseKey(given, found.ok ? 'no-license-key' : found.code)
}

/** Refuses an email address and a shortened license key, because some services have license keys in any form. */
export function refuseOtherText(found: FoundLicenseKey): FoundLicenseKey {
  const isOther = found.ok && (isEmailAddress(found.licenseKey) || shortened.test(found.licenseKey))
  return isOther ? { ok: false, code: 'no-license-key' } : found
}

/**
 * The error for a text without a license key.
 *
 * @param of whose license key is missing, such as ` of polar`.
 */
export function missingLicenseKey(
  { text, place }: GivenText,
  code: Exclude<FoundLicenseKey, { ok: true }>['code'],
  of = '',
): UsageError {
  switch (code) {
    case 'several-license-keys':
      return new UsageError(`${place} contains more than one license key. Pass only one.`)
    case 'text-too-long':
      return new UsageError(`${place} is too long to search. Pass only the line with the license key.`)
    default: {
      if (isEmailAddress(text)) return new UsageError(noEmailAddress)
      const advice = shortened.test(text)
        ? 'In reports and logs it is shortened. Ask the customer for the whole license key.'
        : 'Pass the whole license key, as the customer received it.'
      return new UsageError(`${place} contains no license key${of}. ${advice}`)
    }
  }
}
