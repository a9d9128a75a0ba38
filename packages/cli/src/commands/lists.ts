import {
  type CommerceError,
  type Customer,
  type Discount,
  isCommerceError,
  isDiscountOpen,
  type Page,
  type WalkOptions,
} from '@latchkey/commerce'
import { readError } from '@latchkey/services/commerce'
import { Presets, SingleBar } from 'cli-progress'
import { CommandError, exitCodes } from '../command-error.ts'
import { failureError } from '../explain/failure.ts'
import { type ListContext, show } from '../settings.ts'
import { table } from '../terminal.ts'

/** The lists of the commerce service. */
export type ListName = 'customers' | 'discounts'

const shortWaitMs = 2000

/**
 * Runs work that reads a list. Shows the progress if standard error is a screen, reports a wait, and explains a failure.
 *
 * @param work `makeRoom` removes the progress for output. The next page draws it again.
 * @throws {CommandError}
 */
export async function readingList<Value>(
  context: ListContext,
  name: ListName,
  work: (walk: WalkOptions, makeRoom: () => void) => Promise<Value>,
): Promise<Value> {
  const { call, terminal } = context
  const bar = new SingleBar(
    {
      stream: terminal.stderr,
      format: 'Page {value} of {total} [{bar}] {percentage} %, {eta_formatted} to go',
      clearOnComplete: true,
      gracefulExit: false,
      forceRedraw: true,
    },
    Presets.rect,
  )
  const makeRoom = (): void => {
    if (bar.isActive) terminal.stderr.write('\r\u001b[2K')
  }
  const walk: WalkOptions = {
    prefetch: true,
    retry: 3,
    signal: terminal.signal,
    onAnswer: (answer) => call.onResponse?.(answer),
    onProgress({ page, lastPage }) {
      if (!bar.isActive) bar.start(lastPage, page)
      bar.setTotal(lastPage)
      bar.update(page)
    },
    onRetry({ status }: CommerceError, delayMs) {
      if (delayMs < shortWaitMs) return
      makeRoom()
      const isLimited = status === 429
      const why = isLimited ? 'The service limits the requests' : 'The service doesn’t answer as it should'
      terminal.tell(`${why}. Retrying in ${Math.ceil(delayMs / 1000)} s.`)
    },
  }
  try {
    return await work(walk, makeRoom)
  } catch (error) {
    if (!isCommerceError(error)) throw error
    if (error.code === 'untrusted-link') throw new CommandError(error.message, exitCodes.unexpected)
    throw failureError(readError(error, false), context, name)
  } finally {
    bar.stop()
  }
}

/** `latchkey customers list` */
export function listCustomers(context: ListContext, options: { readonly page?: number }): Promise<number> {
  return readingList(context, 'customers', async ({ signal, onAnswer }) => {
    const page = await context.lists.customers.list({ page: options.page, signal, onAnswer })
    const rows = page.data.map(({ name, email, id }) => [name, email, id])
    return showPage(context, 'customers', page, ['NAME', 'EMAIL', 'ID'], rows)
  })
}

/** `latchkey discounts list` */
export function listDiscounts(
  context: ListContext,
  options: { readonly page?: number; readonly all?: boolean },
): Promise<number> {
  const { lists } = context
  const headings = ['CODE', 'NAME', 'OFF', 'OPEN', 'STATUS', 'FROM', 'UNTIL']
  return readingList(context, 'discounts', async (walk) => {
    if (options.all !== true) {
      const page = await lists.discounts.list({ ...walk, retry: 0, page: options.page })
      return showPage(context, 'discounts', page, headings, page.data.map(discountRow))
    }
    const data: Discount[] = []
    for await (const discount of lists.discounts.all(walk)) data.push(discount)
    return show(context, { data }, ...table(headings, data.map(discountRow)))
  })
}

function discountRow(discount: Discount): readonly string[] {
  const isOpen = isDiscountOpen(discount, Date.now())
  const { code, name, total_formatted, status, starts_at, ends_at } = discount
  const open = isOpen === null ? '?' : isOpen ? 'yes' : 'no'
  return [code, name, total_formatted, open, status, starts_at ?? '-', ends_at ?? '-']
}

function showPage(
  context: ListContext,
  name: ListName,
  page: Page<unknown>,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<number> {
  const { current_page, last_page, total } = page.meta
  if (rows.length === 0 && current_page > Math.max(last_page, 1)) {
    throw new CommandError(`There is no page ${current_page}: the last one is ${Math.max(last_page, 1)}.`)
  }
  if (!context.options.json) context.terminal.tell(`Page ${current_page} of ${last_page}, ${total} ${name}.`)
  return show(context, page, ...table(headings, rows))
}

/** The interface has no way to get from a customer to a license. */
const licenseHint =
  'The service does not say which licenses a customer has: ask the customer for the license key, or look up the order in your store.'

/** `latchkey customers find <text>`: prints matches as it finds them, and stops when there are enough. */
export async function findCustomers(
  context: ListContext,
  text: string,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { terminal, options, lists } = context
  const wanted = formsOf(text).map(folded)
  if (wanted.includes('') || wanted.includes('-')) {
    throw new CommandError('Pass part of the customer’s name or email address. Nothing is read from a file.')
  }
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(text.trim())) {
    throw new CommandError(`A UUID finds no customer. ${licenseHint}`)
  }
  const customers: Customer[] = []
  let searched = { current_page: 0, last_page: 0 }
  await readingList(context, 'customers', async (walk, makeRoom) => {
    for await (const { data, meta } of lists.customers.pages(walk)) {
      searched = meta
      for (const customer of data) {
        const values = [customer.name, customer.email].map(folded)
        if (!values.some((value) => wanted.some((form) => value.includes(form)))) continue
        customers.push(customer)
        makeRoom()
        const { name, email, id } = customer
        // Each line is printed before the next match is known, so its columns have a width that fits most values.
        if (!options.json) await terminal.print(`${name.padEnd(24)}  ${email.padEnd(32)}  ${id}`)
        if (customers.length >= limit) return
      }
    }
  })
  const { current_page, last_page } = searched
  const complete = customers.length < limit || current_page >= last_page
  if (options.json) await terminal.writeJson({ customers, complete })
  else if (customers.length === 0) {
    terminal.tell(`No customer’s name or email address contains “${text}”.`)
  } else {
    const more = `Stopped at ${limit}, on page ${current_page} of ${last_page}. Pass --limit for more.`
    terminal.tell(...(complete ? [] : [more]), licenseHint)
  }
  return customers.length > 0 ? exitCodes.ok : exitCodes.negative
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
