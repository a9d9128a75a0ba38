import { CommerceError } from '../errors/commerce-error.ts'
import { isCommerceError } from '../errors/is-commerce-error.ts'
import { isUuid } from '../formats/uuid.ts'
import type { BaseUrl } from '../http/base-url.ts'
import type { CallOptions } from '../http/call-options.ts'
import type { Transport } from '../http/transport.ts'
import { pageNumberOf, trustedNextUrl } from '../lists/page-link.ts'
import type { LicenseAnswerSchemas, LicenseKeysAnswer } from './license-answers.ts'
import type { LicenseKey } from './license-key.ts'
import type { PageReport } from './page-report.ts'

/** The keys of a license that could be read. */
export interface KeyList {
  /** In the order of the service. */
  keys: LicenseKey[]
  /**
   * Whether the list is complete: no item was skipped and no page was left out, as far as the service reports. If it
   * is, a key that is missing here no longer exists. If you start at a later page, this only covers the pages from
   * there.
   */
  isWhole: boolean
  /** How many items were skipped because they have no key id. */
  unreadableCount: number
  /**
   * The page to continue with if the walk stopped before the end of the list; `null` at the end, or if the pages have
   * no numbers.
   */
  nextPage: number | null
}

/** Options for walking the keys of a license. */
export interface KeyListOptions extends CallOptions {
  /** Number of the first page to read, from 1. @default 1 */
  page?: number | undefined
  /** Stops the walk after the first page for which it returns true. @default walks to the end */
  until?: ((keys: readonly LicenseKey[]) => boolean) | undefined
  /**
   * Time limit of the walk in milliseconds. When it is reached, no more pages are requested and a pending request is
   * canceled. The first page is always awaited. @default no limit
   */
  withinMs?: number | undefined
}

/** 25,000 keys in pages of 25. A longer list is treated as endless. */
const maxListedPages = 1000

const operation = 'licenses.keys'

/**
 * Lists keys page by page along `links.next`. Stops at a page that adds nothing new, because the service then repeats
 * itself.
 *
 * @param listUrl address of the list, without a page.
 * @param schema parses one page.
 */
export async function walkKeys(
  transport: Transport,
  baseUrl: BaseUrl,
  listUrl: string,
  schema: LicenseAnswerSchemas['licenseKeysAnswer'],
  options: KeyListOptions,
): Promise<KeyList> {
  const { page: firstPage = 1, until, withinMs, ...call } = options
  if (!(Number.isSafeInteger(firstPage) && firstPage >= 1)) {
    throw new CommerceError('invalid-argument', { operation, hint: 'page must be an integer, at least 1' })
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
        answer = await transport({ operation, method: 'GET', url, schema }, { ...call, signal })
      } catch (error) {
        if (count > 1 && budget.isSpent() && isCommerceError(error) && error.code === 'cancelled') {
          return partOf(url)
        }
        throw error
      }
      const countBefore = keys.size
      for (const key of answer.data) keys.set(isUuid(key.id) ? key.id.toLowerCase() : key.id, key)
      unreadableCount += answer.unreadableCount
      const { next } = answer.report
      if (next == null || keys.size === countBefore) {
        const isEnd = isLastPage(answer.report, firstPage + count - 1, keys.size, firstPage === 1)
        const isWhole = isEnd && unreadableCount === 0
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

/** Number of items per page, unless the service states another one. */
const defaultPageSize = 25

/**
 * Whether a page is the last one of its list. Page information that can't be read never counts as the end. Without any,
 * a full page may be the first one of a longer list.
 *
 * @param page number of the page.
 * @param keyCount the number of keys that were read.
 * @param isFromStart whether they were read from the first page on.
 */
function isLastPage(report: PageReport, page: number, keyCount: number, isFromStart: boolean): boolean {
  const { isUnclear, next, hasMore, currentPage, lastPage, pageCount } = report
  if (isUnclear || next != null || hasMore === true) return false
  const total = isFromStart ? report.total : null
  if (total !== null && total > keyCount) return false
  if (lastPage !== null && lastPage > (currentPage ?? page)) return false
  // Some services count their pages from 0.
  if (pageCount !== null && pageCount > Math.max(currentPage ?? page, 1)) return false
  const saysEnd =
    next === null || hasMore === false || total !== null || lastPage !== null || pageCount !== null
  return saysEnd || keyCount === 0 || keyCount % (report.pageSize || defaultPageSize) !== 0
}

/** The time limit of a walk. */
interface Budget {
  /** Aborted when the time is up or when the caller's own signal is aborted. */
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
  // AbortSignal.any is newer than the oldest supported runtime.
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
