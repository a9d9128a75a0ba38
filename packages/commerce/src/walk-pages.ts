import { CommerceError } from './commerce-error.ts'
import type { Operation } from './operation.ts'
import type { Page } from './page.ts'

/** What {@link walkPages} needs to know of the list it walks. */
export interface Walk<Item> {
  operation: Operation
  firstUrl: string
  fetchPage(url: string, signal: AbortSignal): Promise<Page<Item>>
  /** Where a page's `links.next` leads, checked. */
  nextUrl(next: string, currentUrl: string): string
  signal?: AbortSignal | undefined
  /** Whether to fetch the next page while the caller works on this one. */
  prefetch: boolean
}

/**
 * Yields page after page along `links.next`, and nothing else decides: totals and page counts may change underway.
 * Ends at a page without a next one, at an empty page, and at a page whose number is not higher than the last one's,
 * since from there on the service repeats itself. Holds two pages at most.
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
    // Nobody is going to read a page that is still on its way.
    abandon()
    walk.signal?.removeEventListener('abort', abandon)
  }
}

/** Its error belongs to the next step: until then the caller is entitled to the page at hand. */
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
