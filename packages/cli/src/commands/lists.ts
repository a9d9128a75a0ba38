import {
  type CommerceError,
  type Customer,
  type Discount,
  isCommerceError,
  isDiscountOpen,
  type Page,
  type WalkOptions,
  type WalkProgress,
} from '@latchkey/commerce'
import { readError } from '@latchkey/services/commerce'
import { Presets, SingleBar } from 'cli-progress'
import { CommandError, exitCodes } from '../command-error.ts'
import { failureError } from '../explain/failure.ts'
import type { ListContext } from '../settings.ts'
import { printable, type Terminal, table } from '../terminal.ts'

/** The lists of the commerce service. */
export type ListName = 'customers' | 'discounts'

/** Runs work that reads a list, and explains a failure. @throws {CommandError} */
export async function readingList<Value>(
  context: ListContext,
  name: ListName,
  work: (walk: WalkOptions, progress: Progress) => Promise<Value>,
): Promise<Value> {
  const { call, terminal } = context
  const progress = showProgress(terminal)
  const walk: WalkOptions = {
    prefetch: true,
    retry: 3,
    signal: terminal.signal,
    onAnswer: (answer) => call.onResponse?.(answer),
    onProgress: progress.update,
    onRetry: progress.wait,
  }
  try {
    return await work(walk, progress)
  } catch (error) {
    if (!isCommerceError(error)) throw error
    if (error.code === 'untrusted-link') throw new CommandError(error.message, exitCodes.unexpected)
    throw failureError(readError(error, false), context, name)
  } finally {
    progress.stop()
  }
}

/** Shows the progress of reading a list. If standard error isn't a screen, it only reports a wait. */
interface Progress {
  update(progress: Pick<WalkProgress, 'page' | 'lastPage'>): void
  /** Removes the bar to make room for output. The next update draws it again. */
  clear(): void
  /** Reports why the command waits before a retry, unless the wait is short. */
  wait(error: CommerceError, delayMs: number): void
  stop(): void
}

const shortWaitMs = 2000

function showProgress({ screen, tell }: Terminal): Progress {
  let bar: SingleBar | null = null
  const clear = (): void => {
    if (bar !== null) screen?.write('\r\u001b[2K')
  }
  return {
    update({ page, lastPage }) {
      if (screen === null) return
      if (bar === null) {
        bar = new SingleBar(
          {
            stream: screen,
            format: 'Page {value} of {total} [{bar}] {percentage} %, {eta_formatted} to go',
            clearOnComplete: true,
            gracefulExit: false,
            forceRedraw: true,
          },
          Presets.rect,
        )
        bar.start(lastPage, page)
      }
      bar.setTotal(lastPage)
      bar.update(page)
    },
    clear,
    wait({ status }, delayMs) {
      if (delayMs < shortWaitMs) return
      clear()
      const why =
        status === 429 ? 'The service limits the requests' : 'The service doesn’t answer as it should'
      tell(`${why}. Retrying in ${Math.ceil(delayMs / 1000)} s.\n`)
    },
    stop: () => bar?.stop(),
  }
}

/** `latchkey customers list` */
export function listCustomers(context: ListContext, options: { readonly page?: number }): Promise<number> {
  return readingList(context, 'customers', async ({ signal, onAnswer }) => {
    const page = await context.commerce.customers.list({ page: options.page, signal, onAnswer })
    const rows = page.data.map(({ name, email, id }) => [name, email, id])
    return showPage(context, 'customers', page, ['NAME', 'EMAIL', 'ID'], rows)
  })
}

/** `latchkey discounts list` */
export function listDiscounts(
  context: ListContext,
  options: { readonly page?: number; readonly all?: boolean },
): Promise<number> {
  const { commerce, terminal } = context
  const headings = ['CODE', 'NAME', 'OFF', 'OPEN', 'STATUS', 'FROM', 'UNTIL']
  return readingList(context, 'discounts', async (walk) => {
    if (options.all !== true) {
      const page = await commerce.discounts.list({ ...walk, retry: 0, page: options.page })
      return showPage(context, 'discounts', page, headings, page.data.map(discountRow))
    }
    const data: Discount[] = []
    for await (const discount of commerce.discounts.all(walk)) data.push(discount)
    if (context.options.json) await terminal.writeJson({ data })
    else await terminal.write(table(headings, data.map(discountRow)))
    return exitCodes.ok
  })
}

function discountRow(discount: Discount): readonly string[] {
  const isOpen = isDiscountOpen(discount, Date.now())
  const { code, name, total_formatted, status, starts_at, ends_at } = discount
  const open = isOpen === null ? '?' : isOpen ? 'yes' : 'no'
  return [code, name, total_formatted, open, status, starts_at ?? '-', ends_at ?? '-']
}

async function showPage(
  { terminal, options }: ListContext,
  name: ListName,
  page: Page<unknown>,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<number> {
  const { current_page, last_page, total } = page.meta
  if (rows.length === 0 && current_page > Math.max(last_page, 1)) {
    throw new CommandError(`There is no page ${current_page}: the last one is ${Math.max(last_page, 1)}.`)
  }
  if (options.json) await terminal.writeJson(page)
  else {
    terminal.tell(`Page ${current_page} of ${last_page}, ${total} ${name}.\n`)
    await terminal.write(table(headings, rows))
  }
  return exitCodes.ok
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
  const { terminal, options } = context
  const wanted = formsOf(text).map(folded)
  if (wanted.includes('')) throw new CommandError('Enter part of the customer’s name or email address.')
  if (text.trim() === '-') {
    throw new CommandError(
      'This command doesn’t read standard input. Pass the name or the email address itself.',
    )
  }
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(text.trim())) {
    throw new CommandError(`A UUID finds no customer. ${licenseHint}`)
  }
  const customers: Customer[] = []
  let searched = { current_page: 0, last_page: 0 }
  await readingList(context, 'customers', async (walk, progress) => {
    for await (const { data, meta } of context.commerce.customers.pages(walk)) {
      searched = meta
      for (const customer of data) {
        const values = [customer.name, customer.email].map(folded)
        if (!values.some((value) => wanted.some((form) => value.includes(form)))) continue
        customers.push(customer)
        progress.clear()
        if (!options.json) await terminal.write(line(customer))
        if (customers.length >= limit) return
      }
    }
  })
  const complete = customers.length < limit || searched.current_page >= searched.last_page
  if (options.json) await terminal.writeJson({ customers, complete })
  else if (customers.length === 0) {
    terminal.tell(`No customer’s name or email address contains “${printable(text)}”.\n`)
  } else {
    const { current_page, last_page } = searched
    if (!complete) {
      terminal.tell(`Stopped at ${limit}, on page ${current_page} of ${last_page}. Pass --limit for more.\n`)
    }
    terminal.tell(`${licenseHint}\n`)
  }
  return customers.length > 0 ? exitCodes.ok : exitCodes.negative
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
