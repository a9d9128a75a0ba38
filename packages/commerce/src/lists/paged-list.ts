import * as z from 'zod/mini'
import { CommerceError, type Operation } from '../commerce-error.ts'
import type { CallOptions, Requester } from '../request.ts'

/** One page of a list. */
export interface Page<Item> {
  data: Item[]
  links: PageLinks
  meta: PageMeta
}

/** Addresses of a page's neighbors. */
export interface PageLinks {
  first: string
  last: string
  /** `null` on the first page. */
  prev: string | null
  /** `null` on the last page. */
  next: string | null
}

/** Position of a page in its list. */
export interface PageMeta {
  current_page: number
  /** Position of the first item, counted from 1. The service documents no `null`, but an empty page may have one. */
  from: number | null
  /** Position of the last item. The service documents no `null`, but an empty page may have one. */
  to: number | null
  /** Total number of pages. */
  last_page: number
  per_page: number
  /** Total number of items on all pages. It can change during a walk. */
  total: number
  /** Address of the list without a page. */
  path: string
  links: PageMetaLink[]
}

/** One entry of a page navigation. */
export interface PageMetaLink {
  /** `null` if there is no such page. */
  url: string | null
  /** `Previous`, `Next` or a page number. */
  label: string
  /** Whether it is the current page. */
  active: boolean
}

const linksSchema: z.ZodMiniType<PageLinks> = z.object({
  first: z.string(),
  last: z.string(),
  prev: z.nullable(z.string()),
  next: z.nullable(z.string()),
})

const metaSchema: z.ZodMiniType<PageMeta> = z.object({
  current_page: z.int(),
  from: z.nullable(z.int()),
  to: z.nullable(z.int()),
  last_page: z.int(),
  per_page: z.int(),
  total: z.int(),
  path: z.string(),
  links: z.array(z.object({ url: z.nullable(z.string()), label: z.string(), active: z.boolean() })),
})

/** Creates a schema for a {@link Page} of items. It drops unknown fields. */
export function pageSchema<Item>(itemSchema: z.ZodMiniType<Item>): z.ZodMiniType<Page<Item>> {
  return z.object({ data: z.array(itemSchema), links: linksSchema, meta: metaSchema })
}

/** Options for reading a page. */
export interface ListOptions extends CallOptions {
  /**
   * Number of the page, or of the first page of a walk; an integer from 1.
   * @default 1
   */
  page?: number | undefined
  /**
   * How often to retry a page's request after a timeout, a lost connection, 408, 413, 425, 429, or 5xx. Waits up to 0.3,
   * 0.6, 1.2 … seconds, at most 30, or as long as `Retry-After` says. If that is longer than two minutes, the request fails
   * at once.
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

/** Called before each wait for a retry, with its error and the delay in milliseconds. */
export type OnRetry = (error: CommerceError, delayMs: number) => void

/** The longest pause that a service can ask for. */
const maxAskedMs = 120_000

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
  request: Requester,
  baseUrl: string,
  operation: Operation,
  path: string,
  itemSchema: z.ZodMiniType<Item>,
): PagedList<Item> {
  const schema = pageSchema(itemSchema)
  const urlOf = (page: number | undefined): string => {
    checkPage(page, operation)
    return `${baseUrl}/${path}${page === undefined ? '' : `?page=${page}`}`
  }
  const fetchPage = (url: string, options: ListOptions): Promise<Page<Item>> => {
    const { retry: limit = 0, onRetry } = options
    const retry = { limit, maxWaitMs: maxAskedMs, afterTimeout: true, onRetry }
    return request({ operation, method: 'GET', url, schema, retry }, options)
  }

  /**
   * Ignores totals and page counts, because they may change during the walk. Stops at a page without a next one, at an
   * empty page, and at a page whose number isn't higher than the previous one's, because the service then repeats itself.
   */
  async function* pages(options: WalkOptions = {}): AsyncGenerator<Page<Item>, void, void> {
    const { signal: callerSignal, prefetch = false, onProgress } = options
    // Aborted when nobody reads a page that is still loading.
    const abandoned = new AbortController()
    const { signal } = abandoned
    const abandon = (): void => abandoned.abort()
    callerSignal?.addEventListener('abort', abandon, { once: true })
    if (callerSignal?.aborted) abandon()

    let url = urlOf(options.page)
    const fetchNext = async (next: string): Promise<Page<Item>> => {
      url = trustedNextUrl(next, url, baseUrl, operation)
      return fetchPage(url, { ...options, signal })
    }
    try {
      let pending = fetchPage(url, { ...options, signal })
      let lastNumber = Number.NEGATIVE_INFINITY
      for (;;) {
        const page = await pending
        if (signal.aborted) throw new CommerceError('cancelled', { operation })
        const { data, links, meta } = page
        if (data.length === 0 || meta.current_page <= lastNumber) return
        lastNumber = meta.current_page
        const ahead = prefetch && links.next !== null ? fetchNext(links.next) : null
        // The caller should still get the current page before it fails.
        ahead?.catch(() => {})
        onProgress?.({ page: meta.current_page, lastPage: meta.last_page, total: meta.total })
        yield page
        if (links.next === null) return
        pending = ahead ?? fetchNext(links.next)
      }
    } finally {
      abandon()
      callerSignal?.removeEventListener('abort', abandon)
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

/** @throws {CommerceError} `invalid-argument` for a page that can't be requested. */
export function checkPage(page: number | undefined, operation: Operation): void {
  if (page !== undefined && !(Number.isSafeInteger(page) && page >= 1)) {
    throw new CommerceError('invalid-argument', { operation, hint: 'page must be an integer, at least 1' })
  }
}

/**
 * Returns the address of the next page. A link inside the client's own base URL is used as it is. From any other link
 * only the page number is used, with our own base URL: a service behind a TLS proxy writes links with `http:` or an
 * internal host name, and the access token must not be sent there.
 *
 * @param currentUrl address of the current page, for relative links.
 * @throws {CommerceError} `untrusted-link` if the link points elsewhere and contains no page number.
 */
export function trustedNextUrl(
  next: string,
  currentUrl: string,
  baseUrl: string,
  operation: Operation,
): string {
  let url: URL
  try {
    url = new URL(next, currentUrl)
  } catch {
    throw new CommerceError('untrusted-link', { operation, hint: 'it is not a URL' })
  }
  const hint = whyForeign(url, baseUrl)
  if (hint === null) return url.href
  const page = pageNumberOf(url)
  if (page === null) throw new CommerceError('untrusted-link', { operation, hint })
  const own = new URL(currentUrl)
  own.searchParams.set('page', String(page))
  return own.href
}

/** Returns the page number in a link's query, from 1; `null` if there is none. */
export function pageNumberOf(url: URL): number | null {
  const text = url.searchParams.get('page') ?? ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

function whyForeign(url: URL, baseUrl: string): string | null {
  if (url.origin !== new URL(baseUrl).origin) return 'it has another scheme, host or port'
  if (url.username !== '' || url.password !== '') return 'it contains credentials'
  return `${url.origin}${url.pathname}`.startsWith(`${baseUrl}/`) ? null : 'it leaves the base path'
}
