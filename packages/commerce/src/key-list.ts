import type { BaseUrl } from './base-url.ts'
import type { CallOptions } from './call-options.ts'
import { CommerceError, isCommerceError } from './commerce-error.ts'
import { type LicenseKeysAnswer, licenseKeysAnswerSchema } from './license-answers.ts'
import type { LicenseKey } from './license-key.ts'
import { pageNumberOf, trustedNextUrl } from './page-link.ts'
import type { Transport } from './transport.ts'

/** The keys of a license as far as they could be read. */
export interface KeyList {
  keys: LicenseKey[]
  /**
   * Whether nothing was skipped and no further page was left unread, as far as the service says: only then does a key
   * that isn't in the list no longer exist. A walk that began at a later page is whole from that page on.
   */
  isWhole: boolean
  /** How many items were skipped because they hold no key id. */
  unreadableCount: number
  /**
   * The page to go on with when the walk ended before the list did; `null` when it reached the end, and where pages are
   * not numbered.
   */
  nextPage: number | null
}

/** How to walk the keys of a license. */
export interface KeyListOptions extends CallOptions {
  /** Number of the page to begin with, from 1. @default 1 */
  page?: number | undefined
  /** Ends the walk after the first page for whose keys it returns true. @default walks to the end */
  until?: ((keys: readonly LicenseKey[]) => boolean) | undefined
  /**
   * Milliseconds the walk may take. Then no further page is asked for, and one under way is given up. The first page is
   * always waited for. @default as long as it takes
   */
  withinMs?: number | undefined
}

/** 25,000 keys in pages of 25: a list that is longer than that does not end. */
const maxListedPages = 1000

const operation = 'licenses.keys'

/**
 * Lists keys, page after page along `links.next`, and ends at a page that adds nothing: from there on the service
 * repeats itself.
 *
 * @param listUrl address of the list, without a page.
 */
export async function walkKeys(
  transport: Transport,
  baseUrl: BaseUrl,
  listUrl: string,
  options: KeyListOptions,
): Promise<KeyList> {
  const { page: firstPage = 1, until, withinMs, ...call } = options
  if (!(Number.isSafeInteger(firstPage) && firstPage >= 1)) {
    throw new CommerceError('invalid-argument', { operation, hint: 'page has to be an integer from 1' })
  }
  const budget = startBudget(withinMs, call.signal)
  const keys = new Map<string, LicenseKey>()
  let unreadableCount = 0
  const partOf = (nextUrl: string): KeyList => ({
    keys: [...keys.values()],
    isWhole: false,
    unreadableCount,
    nextPage: pageNumberOf(new URL(nextUrl)),
  })

  try {
    let url = firstPage === 1 ? listUrl : `${listUrl}?page=${firstPage}`
    for (let count = 1; count <= maxListedPages; count += 1) {
      let answer: LicenseKeysAnswer
      try {
        const signal = count === 1 ? call.signal : budget.signal
        answer = await transport(
          { operation, method: 'GET', url, schema: licenseKeysAnswerSchema },
          { ...call, signal },
        )
      } catch (error) {
        if (count > 1 && budget.isSpent() && isCommerceError(error) && error.code === 'cancelled') {
          return partOf(url)
        }
        throw error
      }
      const countBefore = keys.size
      for (const key of answer.data) keys.set(key.id.toLowerCase(), key)
      unreadableCount += answer.unreadableCount
      const next = answer.links?.next
      if (next == null || keys.size === countBefore) {
        const isEnd = next == null && isEndByMeta(answer, firstPage === 1 ? keys.size : null)
        const isWhole = isEnd && !mayBeCutOff(answer, keys.size) && unreadableCount === 0
        return { keys: [...keys.values()], isWhole, unreadableCount, nextPage: null }
      }
      const nextUrl = trustedNextUrl(next, url, baseUrl, operation)
      if (until?.(answer.data) === true || budget.isSpent()) return partOf(nextUrl)
      url = nextUrl
    }
    throw new CommerceError('unexpected-answer', { operation, hint: 'the list of keys does not end' })
  } finally {
    budget.release()
  }
}

/** How many items a page holds, unless the service says otherwise. */
const defaultPageSize = 25

/** Whether a list that says nothing about pages may be the first page of a longer one: it ends exactly at a page's end. */
function mayBeCutOff({ links, meta }: LicenseKeysAnswer, keyCount: number): boolean {
  const saysNothing = links?.next === undefined && meta === undefined
  return saysNothing && keyCount > 0 && keyCount % defaultPageSize === 0
}

/**
 * Whether a last page agrees that it is the last one, where it says anything about that.
 *
 * @param keyCount how many keys all pages held; `null` when the first ones were not read.
 */
function isEndByMeta({ meta }: LicenseKeysAnswer, keyCount: number | null): boolean {
  const { total = null, current_page = null, last_page = null } = meta ?? {}
  if (total !== null && keyCount !== null && total > keyCount) return false
  return current_page === null || last_page === null || last_page <= current_page
}

/** The time a walk may take. */
interface Budget {
  /** Aborted when the time is up, and when the caller's own signal is. */
  readonly signal: AbortSignal | undefined
  isSpent(): boolean
  release(): void
}

function startBudget(withinMs: number | undefined, callerSignal: AbortSignal | undefined): Budget {
  if (withinMs === undefined) return { signal: callerSignal, isSpent: () => false, release: () => {} }
  const controller = new AbortController()
  let isSpent = false
  const abort = (): void => controller.abort()
  const timer = setTimeout(() => {
    isSpent = true
    abort()
  }, withinMs)
  // AbortSignal.any is younger than the oldest runtime we serve.
  callerSignal?.addEventListener('abort', abort, { once: true })
  if (callerSignal?.aborted) abort()
  return {
    signal: controller.signal,
    isSpent: () => isSpent && callerSignal?.aborted !== true,
    release() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', abort)
    },
  }
}
