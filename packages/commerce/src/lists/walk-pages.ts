import { CommerceError } from '../errors/commerce-error.ts'
import type { Operation } from '../errors/operation.ts'
import type { Page } from './page.ts'

/** Describes the list to {@link walkPages}. */
export interface Walk<Item> {
  operation: Operation
  firstUrl: string
  fetchPage(url: string, signal: AbortSignal): Promise<Page<Item>>
  /** Returns the checked address of a page's `links.next`. */
  nextUrl(next: string, currentUrl: string): string
  signal?: AbortSignal | undefined
  /** Whether to fetch the next page while the caller processes the current one. */
  prefetch: boolean
}

/**
 * Yields page after page along `links.next`. Ignores totals and page counts, because they may change during the walk.
 * Stops at a page without a next one, at an empty page, and at a page whose number isn't higher than the previous
 * one's, because the service then repeats itself. Holds at most two pages in memory.
 */
export async function* walkPages<Item>(walk: Walk<Item>): AsyncGenerator<Page<Item>, void, void> {
  const abandoned = new AbortController()
  const abandon = (): void => abandoned.abort()
  walk.signal?.addEventListener('abort', abandon, { once: true })
  if (walk.signal?.aborted) abandon()

  try {
    let url = walk.firstUrl
    let pending: Promise<Page<Item>> | null = null
    let lastNumber = Number.NEGATIVE_INFINITY
    for (;;) {
      const page: Page<Item> = await (pending ?? walk.fetchPage(url, abandoned.signal))
      if (abandoned.signal.aborted) throw new CommerceError('cancelled', { operation: walk.operation })
      if (page.data.length === 0 || page.meta.current_page <= lastNumber) return
      lastNumber = page.meta.current_page

      const next = page.links.next
      pending = walk.prefetch && next !== null ? fetchAhead(walk, next, url, abandoned.signal) : null
      yield page
      if (next === null) return
      url = walk.nextUrl(next, url)
    }
  } finally {
    // The caller won't read a page that is still loading.
    abandon()
    walk.signal?.removeEventListener('abort', abandon)
  }
}

/** Its error is only thrown at the next step, because the caller should still get the current page. */
function fetchAhead<Item>(
  walk: Walk<Item>,
  next: string,
  url: string,
  signal: AbortSignal,
): Promise<Page<Item>> {
  const pending = (async () => walk.fetchPage(walk.nextUrl(next, url), signal))()
  pending.catch(() => {})
  return pending
}
