import { type AnswerMeta, isCommerceError, isSameId, type LicenseKey } from '@latchkey/commerce'
import { isOlderThan } from '@latchkey/services'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readId } from '../identifiers.ts'
import { printable, table } from '../printable.ts'
import { OutcomeError } from '../services/outcome-error.ts'

/** What `keys list` adds if it could not read a part of the list. */
export const incompleteList = 'The list isn’t complete: part of it could not be read.\n'

/** `latchkey keys list <license>` */
export async function listKeys(context: CommandContext, license: string): Promise<number> {
  const { commerce, terminal } = context
  const licenseId = await readId('license', license, terminal)
  const { keys, isWhole } = await commerce.licenses.keyList(licenseId, call(context))
  if (context.json) return context.printJson({ keys, isWhole })
  if (keys.length === 0) terminal.err.write('No device is activated on this license.\n')
  else await terminal.out.write(table(['DEVICE', 'ACTIVATED', 'KEY'], keys.map(row)))
  if (!isWhole) terminal.err.write(incompleteList)
  return exitCodes.ok
}

/** `latchkey keys show <license> <key>` */
export async function showKey(context: CommandContext, license: string, key: string): Promise<number> {
  const { commerce, terminal } = context
  const licenseId = await readId('license', license, terminal)
  const shown = await commerce.licenses.key(licenseId, await readId('key', key, terminal), call(context))
  if (context.json) return context.printJson({ key: shown })
  const facts: [string, string][] = [
    ['Device', shown.name],
    ['Key', shown.id],
    ['Activated', shown.created_at ?? 'unknown'],
    ['Updated', shown.updated_at ?? 'unknown'],
  ]
  for (const [name, value] of facts) await terminal.out.write(`${name.padEnd(11)}${printable(value)}\n`)
  return exitCodes.ok
}

/** `latchkey keys release <license> <key>` */
export async function releaseKey(context: CommandContext, license: string, key: string): Promise<number> {
  const { commerce, terminal } = context
  const licenseId = await readId('license', license, terminal)
  const keyId = await readId('key', key, terminal)
  // Show the key first, to report a mistyped id instead of a freed seat.
  let shownAtMs: number | null = null
  const onAnswer = ({ serverDateMs }: AnswerMeta): void => {
    shownAtMs = serverDateMs
  }
  const { name } = await commerce.licenses.key(licenseId, keyId, { ...call(context), onAnswer })
  await release(context, licenseId, keyId, shownAtMs)
  if (context.json) return context.printJson({ released: { id: keyId, name } })
  await terminal.out.write(
    `Released ${printable(name)}. At its next check, the app on that device asks to be activated again.\n`,
  )
  return exitCodes.ok
}

/**
 * Frees a seat. A failure alone says little about the seat: an answer may be lost, and a success may have no body. The seat
 * counts as free only if a complete and current list lacks the key.
 *
 * @param shownAtMs the service's time when it showed the key.
 */
async function release(
  context: CommandContext,
  licenseId: string,
  keyId: string,
  shownAtMs: number | null,
): Promise<void> {
  const { commerce, terminal } = context
  try {
    await commerce.licenses.deactivate(licenseId, { key: keyId }, call(context))
  } catch (error) {
    if (!isCommerceError(error) || error.code === 'cancelled') throw error
    const after = await seatAfter(context, licenseId, keyId, error.serverDateMs ?? shownAtMs)
    if (after === 'free') return
    // The service has just shown and listed the key, so this refusal doesn't explain anything.
    if (after === 'taken' && error.code === 'not-found' && error.bodyIsJson === true) {
      throw new OutcomeError(
        `The seat is still taken. The service refused to release it (status ${error.status}).`,
        exitCodes.unexpected,
      )
    }
    const told = after === 'taken' ? 'is still taken.' : 'may still be taken. Check it with keys list.'
    terminal.err.write(`latchkey: The seat ${told}\n`)
    throw error
  }
}

/** Lists the keys after a failed release. @param askedAtMs the service's time before; an older list is from a cache. */
async function seatAfter(
  context: CommandContext,
  licenseId: string,
  keyId: string,
  askedAtMs: number | null,
): Promise<'free' | 'taken' | 'unknown'> {
  let isOld = false
  const onAnswer = (list: AnswerMeta): void => {
    isOld ||= isOlderThan(askedAtMs, list.serverDateMs)
  }
  const { licenses } = context.commerce
  // Without a list, the first error says what happened.
  const listed = await licenses.keyList(licenseId, { ...call(context), onAnswer }).catch(() => null)
  if (!listed?.isWhole || isOld) return 'unknown'
  return listed.keys.some(({ id }) => isSameId(id, keyId)) ? 'taken' : 'free'
}

function row(key: LicenseKey): readonly string[] {
  return [key.name, key.created_at ?? 'unknown', key.id]
}

function call({ terminal }: CommandContext): { signal: AbortSignal } {
  return { signal: terminal.signal }
}
