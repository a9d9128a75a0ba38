import type { ItemList } from '../data/item-list.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { Page, PageLink } from '../wire.ts'
import { type Answer, refuse, succeed } from './answer.ts'
import type { ServiceRequest } from './service-request.ts'

/** How many numbered page links to show on either side of the current page, besides the first two and the last two. */
const linksOnEachSide = 3

/** Answers a list request with one page of `items`. */
export function answerPage<Item>(
  dialect: Dialect,
  request: ServiceRequest,
  status: number,
  perPage: number,
  items: ItemList<Item>,
): Answer {
  const lastPage = Math.max(1, Math.ceil(items.total / perPage))
  const page = readPage(dialect, request.page, lastPage)
  if (page === null) return refuse(dialect, 'invalid-page')
  return succeed(status, buildPage(items, page, perPage, request.url, dialect.paging.emptyRange))
}

function readPage(dialect: Dialect, text: string | undefined, lastPage: number): number | null {
  if (text === undefined) return 1
  const page = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(page) || page < 1) {
    if (dialect.paging.invalidPage === 'refuse') return null
    return Number.isFinite(page) && page >= 1 ? Math.min(Math.floor(page), lastPage) : 1
  }
  if (page <= lastPage) return page
  switch (dialect.paging.beyondLast) {
    case 'empty':
      return page
    case 'nearest':
      return lastPage
    case 'refuse':
      return null
  }
}

/** Builds the pagination envelope for one page. */
export function buildPage<Item>(
  items: ItemList<Item>,
  page: number,
  perPage: number,
  path: string,
  emptyRange: 0 | null,
): Page<Item> {
  const offset = (page - 1) * perPage
  const data = items.slice(offset, perPage)
  const lastPage = Math.max(1, Math.ceil(items.total / perPage))
  const urlOf = (number: number): string => `${path}?page=${number}`
  const previous = page > 1 ? urlOf(page - 1) : null
  const next = page < lastPage ? urlOf(page + 1) : null
  const numbers = shownNumbers(page, lastPage).map(
    (number): PageLink => ({ url: urlOf(number), label: String(number), active: number === page }),
  )
  return {
    data,
    links: { first: urlOf(1), last: urlOf(lastPage), prev: previous, next },
    meta: {
      current_page: page,
      from: data.length > 0 ? offset + 1 : emptyRange,
      to: data.length > 0 ? offset + data.length : emptyRange,
      last_page: lastPage,
      per_page: perPage,
      total: items.total,
      path,
      links: [
        { url: previous, label: 'Previous', active: false },
        ...numbers,
        { url: next, label: 'Next', active: false },
      ],
    },
  }
}

// A list with 40,000 pages can't link all of them in every answer.
function shownNumbers(page: number, lastPage: number): number[] {
  const numbers = new Set([1, 2, lastPage - 1, lastPage])
  for (let number = page - linksOnEachSide; number <= page + linksOnEachSide; number += 1) numbers.add(number)
  return [...numbers].filter((number) => number >= 1 && number <= lastPage).sort((a, b) => a - b)
}
