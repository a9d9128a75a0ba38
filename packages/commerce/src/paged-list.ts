import type * as z from 'zod/mini'
import type { BaseUrl } from './base-url.ts'
import type { CallOptions } from './call-options.ts'
import { CommerceError } from './commerce-error.ts'
import type { Operation } from './operation.ts'
import { type Page, pageSchema } from './page.ts'
import { trustedNextUrl } from './page-link.ts'
import { withRetry } from './retry.ts'
import type { Transport } from './transport.ts'
import { walkPages } from './walk-pages.ts'

/** Which page, and how. */
export interface ListOptions extends CallOptions {
  /**
   * Number of the page, or of the first one when walking; an integer from 1.
   * @default 1
   */
  page?: number | undefined
  /**
   * How often to repeat a page's request that failed with a retryable error. Waits as long as `Retry-After` says, or
   * 0.3, 0.6, 1.2 … seconds, but never more than 30.
   * @default 0
   */
  retry?: number | undefined
}

/** How to walk a list. */
export interface WalkOptions extends ListOptions {
  /**
   * Fetches the next page while the caller works on the current one. Costs one page of memory, and one request in vain
   * when the caller stops early.
   * @default false
   */
  prefetch?: boolean | undefined
  /** Called with every page before its items are handed out. */
  onProgress?: ((progress: WalkProgress) => void) | undefined
}

/** How far a walk has come, in the service's own numbers; they can change underway. */
export interface WalkProgress {
  /** The page that has just arrived: resume from the one after it. */
  page: number
  lastPage: number
  /** Items on all pages. */
  total: number
}

/**
 * A list the service hands out in pages, 25 items each.
 *
 * Every failure is a {@link CommerceError}. A walk fails at the page that failed, after every item before it was handed
 * out. It follows `links.next` inside the base URL; of a link that leads elsewhere it takes the page number alone, and
 * fails with `untrusted-link` when there is none.
 *
 * @example
 * ```ts
 * for await (const customer of commerce.customers.all({ prefetch: true })) console.log(customer.email)
 * ```
 */
export interface PagedList<Item> {
  /** Fetches one page. What a page beyond the last one gets is up to the service. */
  list(options?: ListOptions): Promise<Page<Item>>
  /** Walks the pages. At most two of them are held at a time. */
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
      throw new CommerceError('invalid-argument', { operation, hint: 'page has to be an integer from 1' })
    }
    return `${baseUrl.origin}${baseUrl.path}/${path}${page === undefined ? '' : `?page=${page}`}`
  }
  const fetchPage = (url: string, options: ListOptions): Promise<Page<Item>> => {
    const attempt = () => transport({ operation, method: 'GET', url, schema }, options)
    return withRetry(attempt, options.retry ?? 0, options.signal)
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
        // `yield*` would wait a turn more for every item.
        for (const item of page.data) yield item
      }
    },
  }
}
