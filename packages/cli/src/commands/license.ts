import { type CommerceError, isCommerceError, isSameId, type License } from '@latchkey/commerce'
import { isOlderThan } from '@latchkey/services'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readId } from '../identifiers.ts'
import { judgeLicense } from '../judge-license.ts'
import { printable } from '../printable.ts'

/** The result of checking a license. */
type Finding =
  | { readonly kind: 'license'; readonly license: License; readonly atMs: number }
  | { readonly kind: 'undecided'; readonly decision: 'revoked' | 'undecided'; readonly why: string }

/** `latchkey license check <license>`: shows what an app would decide now, and why. */
export async function checkLicense(
  context: CommandContext,
  license: string,
  options: { readonly key?: string },
): Promise<number> {
  const { terminal } = context
  const licenseId = await readId('license', license, terminal)
  const keyId = options.key === undefined ? null : await readId('key', options.key, terminal)
  const finding = await find(context, licenseId, keyId)

  if (finding.kind === 'undecided') {
    const { decision, why } = finding
    if (context.json) return context.printJson({ decision, why }, exitCodes.negative)
    await terminal.out.write(`${decision}: ${printable(why)}\n`)
    return exitCodes.negative
  }
  const { decision, why, seatsLeft } = judgeLicense(finding.license, finding.atMs)
  const exitCode = decision === 'entitled' ? exitCodes.ok : exitCodes.negative
  const { activation_usage_formatted: seats, activation_limit, activation_usage } = finding.license
  if (context.json) {
    return context.printJson({ decision, why, seatsLeft, activation_usage, activation_limit }, exitCode)
  }
  const used = seats ?? `${activation_usage ?? 'unknown'}/${activation_limit ?? 'unknown'}`
  await terminal.out.write(
    `${decision}: ${printable(why)}\nseats: ${printable(used)} in use, ${seatsLeft ?? 'unknown'} free\n`,
  )
  return exitCode
}

/** Only the answers to activate and validate contain the license, so this validates one of its keys. */
async function find(
  context: CommandContext,
  licenseId: string,
  chosenKeyId: string | null,
): Promise<Finding> {
  const { commerce, terminal } = context
  const { signal } = terminal
  const keyId = chosenKeyId ?? (await commerce.licenses.keys(licenseId, { signal }))[0]?.id
  if (keyId === undefined) {
    return {
      kind: 'undecided',
      decision: 'undecided',
      why: 'no device is activated, and the service shows a license only through one of its keys',
    }
  }
  let atMs = Date.now()
  try {
    const onAnswer = ({ serverDateMs }: { serverDateMs: number | null }): void => {
      atMs = serverDateMs ?? atMs
    }
    const { license } = await commerce.licenses.validate(licenseId, { key: keyId }, { signal, onAnswer })
    return { kind: 'license', license, atMs }
  } catch (error) {
    if (!isRefusal(error) && !isForbidden(error)) throw error
    return await explainRefusal(context, licenseId, keyId, error.status)
  }
}

/**
 * Decides as the app does: a key is gone only if the complete list of the license's keys lacks it and the same host has
 * just refused to show it.
 */
async function explainRefusal(
  context: CommandContext,
  licenseId: string,
  keyId: string,
  status: number | null,
): Promise<Finding> {
  const refused = `validation was refused (status ${status})`
  const undecided = (why: string): Finding => ({ kind: 'undecided', decision: 'undecided', why })
  const proof = await proveGone(context, licenseId, keyId)
  switch (proof.found) {
    case 'gone':
      return {
        kind: 'undecided',
        decision: 'revoked',
        why: 'the key is not in the list of keys: its seat was freed from another device or by support',
      }
    case 'listed':
      return undecided(
        `${refused} while the key is still in the list: an app keeps its state and checks again`,
      )
    case 'shown':
      return undecided(`${refused} while the key is still shown: an app keeps its state and checks again`)
    case 'list-refused':
      // A misconfigured proxy answers the same way, so neither refusal proves anything.
      return undecided(
        `${refused}, and so was the list of keys (status ${proof.status}): check the license key and the base URL`,
      )
    case 'list-not-whole':
      return undecided(
        `${refused}, and the list of keys could not be read completely: an app keeps its state`,
      )
    case 'list-old':
      return undecided(
        `${refused}, and the list of keys comes from a cache or another host: an app keeps its state and checks again`,
      )
  }
}

type Proof =
  | { readonly found: 'gone' | 'listed' | 'shown' | 'list-not-whole' | 'list-old' }
  | { readonly found: 'list-refused'; readonly status: number | null }

async function proveGone(
  { commerce, terminal }: CommandContext,
  licenseId: string,
  keyId: string,
): Promise<Proof> {
  const { signal } = terminal
  let listedAtMs: number | null = null
  try {
    const onAnswer = ({ serverDateMs }: { serverDateMs: number | null }): void => {
      listedAtMs = serverDateMs
    }
    const { keys, isWhole } = await commerce.licenses.keyList(licenseId, { signal, onAnswer })
    if (keys.some(({ id }) => isSameId(id, keyId))) return { found: 'listed' }
    if (!isWhole) return { found: 'list-not-whole' }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { found: 'list-refused', status: error.status }
  }
  try {
    await commerce.licenses.key(licenseId, keyId, { signal })
    return { found: 'shown' }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { found: isOlderThan(error.serverDateMs, listedAtMs) ? 'list-old' : 'gone' }
  }
}

function isRefusal(error: unknown): error is CommerceError {
  return isCommerceError(error) && (error.code === 'not-found' || error.code === 'rejected')
}

/** Whether the service itself forbids the request. If it accepts the access token for the list, that isn't the reason. */
function isForbidden(error: unknown): error is CommerceError {
  return isCommerceError(error) && error.status === 403 && error.bodyIsJson === true
}
