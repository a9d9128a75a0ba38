import type { Customer } from '@latchkey/commerce'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { showProgress } from '../export/progress.ts'
import { isUuid } from '../identifiers.ts'
import { printable } from '../printable.ts'
import { UsageError } from '../usage-error.ts'

/** Options of `customers find`. */
export interface FindOptions {
  /** The search stops after this many matches. */
  readonly limit: number
}

/** The interface has no way to get from a customer to a license. */
const licenseHint =
  'The service does not say which licenses a customer has: ask the customer for the license key, ' +
  'or look up the order in your store.'

/** `latchkey customers find <text>`: prints matches as it finds them, and stops when there are enough. */
export async function findCustomers(
  context: CommandContext,
  text: string,
  { limit }: FindOptions,
): Promise<number> {
  const { commerce, terminal, json } = context
  const wanted = formsOf(text).map(folded)
  if (wanted.includes('')) throw new UsageError('Enter part of the customer’s name or email address.')
  if (text.trim() === '-') {
    throw new UsageError(
      'This command doesn’t read standard input. Pass the name or the email address itself.',
    )
  }
  if (isUuid(text.trim())) throw new UsageError(`A UUID finds no customer. ${licenseHint}`)
  const found: Customer[] = []
  let searched = { page: 0, lastPage: 0 }
  const progress = showProgress(terminal)
  try {
    const pages = commerce.customers.pages({
      prefetch: true,
      retry: 3,
      signal: terminal.signal,
      onRetry: progress.wait,
      onProgress(walk) {
        searched = walk
        progress.update(walk)
      },
    })
    for await (const { data } of pages) {
      const matches = data.filter(({ name, email }) =>
        [name, email].map(folded).some((it) => wanted.some((form) => it.includes(form))),
      )
      for (const customer of matches.slice(0, limit - found.length)) {
        found.push(customer)
        progress.clear()
        if (!json) await terminal.out.write(line(customer))
      }
      if (found.length >= limit) break
    }
  } finally {
    progress.stop()
  }
  const isComplete = found.length < limit || searched.page >= searched.lastPage
  const exitCode = found.length > 0 ? exitCodes.ok : exitCodes.negative
  if (json) return context.printJson({ customers: found, complete: isComplete }, exitCode)
  if (found.length === 0) {
    terminal.err.write(`No customer’s name or email address contains “${printable(text)}”.\n`)
    return exitCode
  }
  if (!isComplete) {
    terminal.err.write(
      `Stopped at ${limit}, on page ${searched.page} of ${searched.lastPage}. Pass --limit for more.\n`,
    )
  }
  terminal.err.write(`${licenseHint}\n`)
  return exitCode
}

/** Fixed column widths that fit most values, because each line is printed before the next match is known. */
function line({ name, email, id }: Customer): string {
  return `${printable(name).padEnd(24)}  ${printable(email).padEnd(32)}  ${printable(id)}\n`
}

/**
 * Returns what to search for: the address of a sender as mail programs copy it (`Ada <ada@example.com>`), and a name also
 * without its comma (`Lovelace, Ada`).
 */
function formsOf(text: string): readonly string[] {
  const address = /[^\s<>:,;"'()@][^\s<>:,;"()@]*@[^\s<>:,;"'()@]*[^\s<>:,;"'()@.]/u.exec(text)?.[0]
  if (address !== undefined) return [address]
  const [, last, first] = /^([^,]+),([^,]+)$/u.exec(text) ?? []
  return last === undefined || first === undefined ? [text] : [text, `${first} ${last}`]
}

/** Normalizes a text for comparison: ignores case, accents, Unicode form and the number of spaces. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/gu, ' ').trim()
}
