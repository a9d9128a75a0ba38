import type * as z from 'zod/mini'
import { CommerceError } from '../errors/commerce-error.ts'
import type { Operation } from '../errors/operation.ts'
import type { BaseUrl } from '../http/base-url.ts'
import type { CallOptions } from '../http/call-options.ts'
import type { Transport } from '../http/transport.ts'
import { type Page, pageSchema } from './page.ts'
import { trustedNextUrl } from './page-link.ts'
import { type OnRetry, withRetry } from './retry.ts'
import { walkPages } from './walk-pages.ts'

/** Options for reading a page. */
export interface ListOptions extends CallOptions {
  /**
   * Number of the page, or of the first page of a walk; an integer from 1.
   * @default 1
   */
  page?: number | undefined
  /**
   * How often to retry a page's request after a retryable error. Waits 0.3, 0.6, 1.2 … seconds, at most 30, or as
   * long as `Retry-After` says. If that is longer than two minutes, the request fails at once.
   * @default 0
   */
  retry?: number | undefined
  /** Called before each wait for a retry, with its error and the delay in milliseconds. */
  onRetry?: OnRetry | undefined
}

/** Options for walking a list. */
export interface WalkOptions extends ListOptions {
  /**
   * Fetches the next page while you process the current one. Needs memory for one more page, and wastes one request if
   * you stop early.
   * @default false
   */
  prefetch?: boolean | undefined
  /** Called with every page's progress before its items are returned. */
  onProgress?: ((progress: WalkProgress) => void) | undefined
}

/** The progress of a walk, in the service's own numbers, which can change during the walk. */
export interface WalkProgress {
  /** The latest page. To resume, start at the page after it. */
  page: number
  lastPage: number
  /** Items on all pages. */
  total: number
}

/**
 * A list that the service returns in pages of 25 items.
 *
 * Every failure is a {@link CommerceError}. A walk fails at the page that failed, after it has returned all items
 * before it. It follows `links.next` inside the base URL. From a link that points elsewhere it only uses the page
 * number, and fails with `untrusted-link` if there is none.
 *
 * @example
 * ```ts
 * for await (const customer of commerce.customers.all({ prefetch: true })) console.log(customer.email)
 * ```
 */
export interface PagedList<Item> {
  /** Fetches one page. The service decides what it returns for a page beyond the last one. */
  list(options?: ListOptions): Promise<Page<Item>>
  /** Walks the pages. Holds at most two of them in memory. */
  pages(options?: WalkOptions): AsyncGenerator<Page<Item>, void, void>
  /** Walks the items of all pages. */
  all(options?: WalkOptions): AsyncGenerator<Item, void, void>
}

export function createPagedList<Item>(
  transport: Transport,
  baseUrl: BaseUrl,
  operation: Operation,
  path: string,
  itemSchema: z.ZodMiniType<Item>,
): PagedList<Item> {
  const schema = pageSchema(itemSchema)
  const urlOf = (page: number | undefined): string => {
    if (page !== undefined && !(Number.isSafeInteger(page) && page >= 1)) {
      throw new CommerceError('invalid-argument', { operation, hint: 'page must be an integer, at least 1' })
    }
    return `${baseUrl.origin}${baseUrl.path}/${path}${page === undefined ? '' : `?page=${page}`}`
  }
  const fetchPage = (url: string, options: ListOptions): Promise<Page<Item>> => {
    const attempt = () => transport({ operation, method: 'GET', url, schema }, options)
    return withRetry(attempt, options.retry ?? 0, options.signal, options.onRetry)
  }

  async function* pages(options: WalkOptions = {}): AsyncGenerator<Page<Item>, void, void> {
    const walk = walkPages({
      operation,
      firstUrl: urlOf(options.page),
      fetchPage: (url, signal) => fetchPage(url, { ...options, signal }),
      nextUrl: (next, currentUrl) => trustedNextUrl(next, currentUrl, baseUrl, operation),
      signal: options.signal,
      prefetch: options.prefetch ?? false,
    })
    for await (const page of walk) {
      options.onProgress?.({
        page: page.meta.current_page,
        lastPage: page.meta.last_page,
        total: page.meta.total,
      })
      yield page
    }
  }

  return {
    list: async (options = {}) => fetchPage(urlOf(options.page), options),
    pages,
    async *all(options = {}) {
      for await (const page of pages(options)) {
        // `yield*` would add an asynchronous step for every item.
        for (const item of page.data) yield item
      }
    },
  }
}
