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
export function pageReportOf(answer: Readonly<Record<string, unknown>>): PageReport {
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
