import { type AnswerMeta, isCommerceError, isSameId, type LicenseKey } from '@latchkey/commerce'
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
  const { name } = await commerce.licenses.key(licenseId, keyId, call(context))
  await release(context, licenseId, keyId)
  if (context.json) return context.printJson({ released: { id: keyId, name } })
  await terminal.out.write(
    `Released ${printable(name)}. At its next check, the app on that device asks to be activated again.\n`,
  )
  return exitCodes.ok
}

/** A success without the documented body, such as a 204, counts only if a complete and current list lacks the key. */
async function release(context: CommandContext, licenseId: string, keyId: string): Promise<void> {
  const { licenses } = context.commerce
  try {
    await licenses.deactivate(licenseId, { key: keyId }, call(context))
  } catch (error) {
    const { status = null, serverDateMs = null } = isCommerceError(error) ? error : {}
    if (status === null || status < 200 || status >= 300) throw error
    let isOld = false
    const onAnswer = (list: AnswerMeta): void => {
      isOld ||= isOlderThan(serverDateMs, list.serverDateMs)
    }
    // Without a list, the first error says what happened.
    const listed = await licenses.keyList(licenseId, { ...call(context), onAnswer }).catch(() => null)
    if (!listed?.isWhole || isOld || listed.keys.some(({ id }) => isSameId(id, keyId))) throw error
  }
}

function row(key: LicenseKey): readonly string[] {
  return [key.name, key.created_at ?? 'unknown', key.id]
}

function call({ terminal }: CommandContext): { signal: AbortSignal } {
  return { signal: terminal.signal }
}
