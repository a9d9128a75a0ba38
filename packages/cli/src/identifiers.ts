import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu

/** Takes the one id out of what was typed; `-` reads standard input, which keeps it out of the shell's history. */
export async function readId(what: 'license' | 'key', text: string, terminal: Terminal): Promise<string> {
  const given = text === '-' ? await terminal.readInput() : text
  const ids = new Set(Array.from(given.matchAll(uuid), ([id]) => id.toLowerCase()))
  const [id, ...others] = ids
  if (id === undefined) throw new UsageError(`There is no ${what} id in what was given: it is a UUID.`)
  if (others.length > 0) throw new UsageError(`More than one ${what} id was given: pass one.`)
  return id
}
