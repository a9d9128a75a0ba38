import * as z from 'zod/mini'
import { CommerceError, isCommerceError } from '../commerce-error.ts'
import { isUuid } from '../ids.ts'
import { pageNumberOf, trustedNextUrl } from '../lists/paged-list.ts'
import type { CallOptions, Requester } from '../request.ts'
import type { LicenseKey } from './license.ts'

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
  request: Requester,
  baseUrl: string,
  listUrl: string,
  schema: z.ZodMiniType<LicenseKeysAnswer>,
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
        answer = await request({ operation, method: 'GET', url, schema }, { ...call, signal })
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

/** What a page of keys reports about its list. The service doesn't document this, so several forms are read. */
export interface PageReport {
  /** Whether page information is present that can't be read. */
  isUnclear: boolean
  /** `links.next`; `undefined` if it is missing or no text. */
  next: string | null | undefined
  /** Whether there are more pages; `null` if nothing reports it directly. */
  hasMore: boolean | null
  /** Number of items on all pages. */
  total: number | null
  currentPage: number | null
  /** Number of the last page, counted as `currentPage` is. */
  lastPage: number | null
  /** Number of pages. */
  pageCount: number | null
  pageSize: number | null
  /** The number of items that a gateway left out. */
  omitted: number | null
}

/** The names of page information in lower case, without `_` and `-`, and what they mean. */
const meanings: Readonly<Record<string, Exclude<keyof PageReport, 'isUnclear' | 'next'>>> = {
  hasmore: 'hasMore',
  hasnext: 'hasMore',
  hasnextpage: 'hasMore',
  next: 'hasMore',
  nextcursor: 'hasMore',
  nextpage: 'hasMore',
  nextpagetoken: 'hasMore',
  nextpageurl: 'hasMore',
  total: 'total',
  totalcount: 'total',
  totalitems: 'total',
  currentpage: 'currentPage',
  page: 'currentPage',
  lastpage: 'lastPage',
  pagecount: 'pageCount',
  pages: 'pageCount',
  totalpages: 'pageCount',
  pagesize: 'pageSize',
  perpage: 'pageSize',
  unreadable: 'omitted',
}

/** Names of objects that contain page information. */
const containers: readonly string[] = ['meta', 'page', 'pagination', 'paging']

/**
 * Reads the page information of an answer: beside `data`, in `links`, in `meta`, or in one more object inside. Unknown
 * fields are ignored.
 */
function pageReportOf(answer: Readonly<Record<string, unknown>>): PageReport {
  const report: PageReport = {
    isUnclear: false,
    next: undefined,
    hasMore: null,
    total: null,
    currentPage: null,
    lastPage: null,
    pageCount: null,
    pageSize: null,
    omitted: null,
  }
  readInto(report, answer, 2)
  const { links } = answer
  // Buttons of pages tell nothing more if there is no next page.
  if (isAbsent(links) || (report.hasMore === false && isButtons(links))) return report
  const next = isObject(links) ? links.next : 0
  if (next == null || typeof next === 'string') report.next = next
  else report.isUnclear = true
  return report
}

function readInto(report: PageReport, fields: Readonly<Record<string, unknown>>, depth: number): void {
  for (const [written, value] of Object.entries(fields)) {
    const name = written.toLowerCase().replace(/[-_]/g, '')
    const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined
    const isContainer = containers.includes(name)
    if (meaning === 'hasMore') {
      // One report of more pages counts more than any number of others.
      report.hasMore ||= !(isAbsent(value) || value === false || value === '')
    } else if (isContainer && isObject(value) && depth > 0) {
      readInto(report, value, depth - 1)
    } else if (name === 'meta' && typeof value === 'string' && /^(?:ok|success)$/iu.test(value)) {
      // No page information. Another text, such as `page 1 of 2`, may be some.
    } else if ((isContainer || meaning !== undefined) && !isAbsent(value)) {
      const count = countOf(value)
      if (meaning === undefined || count === null) report.isUnclear = true
      else report[meaning] = Math.max(count, report[meaning] ?? 0)
    }
  }
}

/** Reads a number, which may be written as text; `null` if it is no count. */
function countOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** Some services write an object without fields as an empty array. */
function isAbsent(value: unknown): boolean {
  return value == null || (Array.isArray(value) && value.length === 0)
}

/** Whether these are the numbered links of a page, as some services list them for its buttons. */
function isButtons(links: unknown): boolean {
  return Array.isArray(links) && links.every((link) => isObject(link) && 'url' in link && 'label' in link)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The answer to *list keys*. Whether it is paged is not documented, so `links` and `meta` may be missing. */
export interface LicenseKeysAnswer {
  /** The items that can be read. */
  data: LicenseKey[]
  /** How many items were skipped because they have no key id, including those that a gateway reports as omitted. */
  unreadableCount: number
  links?: { next?: string | null | undefined } | undefined
  meta?: { total: number | null; current_page: number | null; last_page: number | null } | undefined
  /** What the answer reports about its list, in any form that is known. */
  report: PageReport
}

/** Creates the schema of {@link LicenseKeysAnswer}. @param key parses one key. */
export function keysAnswerSchemaOf(key: z.ZodMiniType<LicenseKey>): z.ZodMiniType<LicenseKeysAnswer> {
  const isKey = (item: unknown): boolean => key.safeParse(item).success
  const rawAnswer = z.looseObject({
    // If none of the items is a key, this isn't a list of keys, so don't read it as "no keys".
    data: z.array(z.unknown()).check(z.refine((items) => items.length === 0 || items.some(isKey))),
  })
  const read = z.transform(({ data, ...rest }: z.output<typeof rawAnswer>): LicenseKeysAnswer => {
    const keys = data.flatMap((item) => key.safeParse(item).data ?? [])
    const report = pageReportOf(rest)
    const { next, omitted, total, currentPage: current_page, lastPage: last_page } = report
    const unreadableCount = data.length - keys.length + (omitted ?? 0)
    return { data: keys, unreadableCount, links: { next }, meta: { total, current_page, last_page }, report }
  })
  return z.pipe(rawAnswer, read)
}
