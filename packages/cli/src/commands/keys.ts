import {
  type AnswerMeta,
  type CommerceError,
  isCommerceError,
  isSameId,
  type LicenseKey,
} from '@latchkey/commerce'
import { isOlderThan } from '@latchkey/services'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readId } from '../identifiers.ts'
import { printable, table } from '../printable.ts'

/** `latchkey keys list <license>` */
export async function listKeys(context: CommandContext, license: string): Promise<number> {
  const { commerce, terminal } = context
  const keys = await commerce.licenses.keys(await readId('license', license, terminal), call(context))
  if (context.json) return context.printJson({ keys })
  if (keys.length === 0) terminal.err.write('No device is activated on this license.\n')
  else await terminal.out.write(table(['DEVICE', 'ACTIVATED', 'KEY'], keys.map(row)))
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
 * Frees a seat. If the answer was lost, or was a success without the documented body such as a 204, the seat counts as free
 * only if a complete and current list lacks the key.
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
    if (!isCommerceError(error) || !mayHaveFreed(error)) throw error
    const after = await seatAfter(context, licenseId, keyId, error.serverDateMs ?? shownAtMs)
    if (after === 'free') return
    const told =
      after === 'taken' ? 'The seat is still taken.' : 'The seat may still be taken. Check it with keys list.'
    terminal.err.write(`latchkey: ${told}\n`)
    throw error
  }
}

/** Whether the service may have freed the seat although the call failed. */
function mayHaveFreed({ code, status }: CommerceError): boolean {
  const isSuccess = status !== null && status >= 200 && status < 300
  return isSuccess || (code === 'unreachable' && status !== 429)
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
