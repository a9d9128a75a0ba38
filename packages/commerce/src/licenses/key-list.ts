import * as z from 'zod/mini'
import { CommerceError, isCommerceError } from '../commerce-error.ts'
import { defaultTimeoutMs } from '../http.ts'
import { isUuid } from '../ids.ts'
import { checkPage, pageNumberOf, trustedNextUrl } from '../lists/paged-list.ts'
import type { CallOptions, Requester } from '../request.ts'
import type { LicenseKey } from './license-and-key.ts'

/** The keys of a license that could be read. */
export interface KeyList {
  /** In the order of the service. */
  keys: LicenseKey[]
  /**
   * Whether the list is complete: no item was skipped and no page was left out, as far as the service reports. If it
   * is, a key that is missing here no longer exists. If you start at a later page, this only covers the pages from
   * there. A full page without page information is the whole list if the license has as many keys in use: then one of
   * them is validated to find out.
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

/** A list as it was read. */
export type WalkedKeys = Omit<KeyList, 'isWhole'> & {
  /** `null` if only the number of the license's keys can tell. */
  isWhole: boolean | null
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
): Promise<WalkedKeys> {
  const { page: firstPage = 1, until, withinMs = Number.POSITIVE_INFINITY, ...call } = options
  checkPage(firstPage, operation)
  const startedMs = performance.now()
  const leftMs = (): number => withinMs - (performance.now() - startedMs)
  const keys = new Map<string, LicenseKey>()
  let unreadableCount = 0
  const listSoFar = (isWhole: boolean | null, nextUrl: string | null): WalkedKeys => ({
    keys: [...keys.values()],
    isWhole,
    unreadableCount,
    nextPage: nextUrl === null ? null : pageNumberOf(new URL(nextUrl)),
  })

  let url = firstPage === 1 ? listUrl : `${listUrl}?page=${firstPage}`
  for (let count = 1; count <= maxListedPages; count += 1) {
    const timeoutMs = call.timeout ?? defaultTimeoutMs
    const isShort = count > 1 && leftMs() < timeoutMs
    const timeout = isShort ? Math.max(1, leftMs()) : call.timeout
    let answer: LicenseKeysAnswer
    try {
      answer = await request({ operation, method: 'GET', url, schema }, { ...call, timeout })
    } catch (error) {
      if (isShort && isCommerceError(error) && error.reason === 'timeout') return listSoFar(false, url)
      throw error
    }
    const countBefore = keys.size
    for (const key of answer.data) keys.set(isUuid(key.id) ? key.id.toLowerCase() : key.id, key)
    unreadableCount += answer.unreadableCount
    const next = answer.links?.next
    if (next == null || keys.size === countBefore) {
      const isEnd = isLastPage(answer, firstPage + count - 1, keys.size, firstPage === 1)
      return listSoFar(unreadableCount === 0 ? isEnd : false, null)
    }
    url = trustedNextUrl(next, url, baseUrl, operation)
    if (until?.(answer.data) === true || leftMs() <= 0) return listSoFar(false, url)
  }
  throw new CommerceError('unexpected-answer', { operation, hint: 'the list of keys does not end' })
}

/** Number of items per page, unless the service states another one. */
const defaultPageSize = 25

/**
 * Whether a page is the last one of its list; `null` for a full page without the documented page information, which may be
 * the first one of a longer list.
 *
 * @param page number of the page.
 * @param keyCount the number of keys that were read.
 * @param isFromStart whether they were read from the first page on.
 */
function isLastPage(
  { isUnclear, links, meta }: LicenseKeysAnswer,
  page: number,
  keyCount: number,
  isFromStart: boolean,
): boolean | null {
  if (isUnclear || links?.next != null) return false
  const { total, current_page, last_page, per_page } = meta ?? {}
  if (isFromStart && total != null && total > keyCount) return false
  if (last_page != null && last_page > (current_page ?? page)) return false
  const saysEnd = links?.next === null || total != null || last_page != null
  if (saysEnd || keyCount === 0 || keyCount % (per_page || defaultPageSize) !== 0) return true
  return isFromStart ? null : false
}

/** The answer to *list keys*. Whether it is paged is not documented, so `links` and `meta` may be missing. */
export interface LicenseKeysAnswer {
  /** The items that can be read. */
  data: LicenseKey[]
  /** How many items were skipped because they have no key id, including those that a gateway reports as omitted. */
  unreadableCount: number
  links?: { next?: string | null | undefined } | undefined
  meta?: PageCounts | undefined
  /** Whether there is page information that isn't the documented one, so that the end of the list isn't known. */
  isUnclear: boolean
}

/** What a page of keys reports about its list. */
interface PageCounts {
  total?: number | null | undefined
  current_page?: number | null | undefined
  last_page?: number | null | undefined
  per_page?: number | null | undefined
  /** The number of items that a gateway left out. */
  unreadable?: number | null | undefined
}

const count = z.nullish(z.int().check(z.gte(0)))
const linksSchema = z.object({ next: z.nullish(z.string()) })
const metaSchema = z.object({
  total: count,
  current_page: count,
  last_page: count,
  per_page: count,
  unreadable: count,
})

/** Names of page information in another form than the documented one. */
const otherPages = /cursor|more|next|offset|pag(?:e|in)/iu

/** Creates the schema of {@link LicenseKeysAnswer}. @param key parses one key. */
export function keysAnswerSchemaOf(key: z.ZodMiniType<LicenseKey>): z.ZodMiniType<LicenseKeysAnswer> {
  const isKey = (item: unknown): boolean => key.safeParse(item).success
  const rawAnswer = z.looseObject({
    // If none of the items is a key, this isn't a list of keys, so don't read it as "no keys".
    data: z.array(z.unknown()).check(z.refine((items) => items.length === 0 || items.some(isKey))),
  })
  const read = z.transform((answer: z.output<typeof rawAnswer>): LicenseKeysAnswer => {
    const { data, links: sentLinks, meta: sentMeta, ...others } = answer
    const keys = data.flatMap((item) => key.safeParse(item).data ?? [])
    const links = isAbsent(sentLinks) ? undefined : linksSchema.safeParse(sentLinks)
    const meta = isAbsent(sentMeta) ? undefined : metaSchema.safeParse(sentMeta)
    const undocumented = [...Object.entries(others), ...Object.entries(Object(sentMeta))].filter(
      ([name, value]) => otherPages.test(name) && !(name in metaSchema.shape) && !isAbsent(value),
    )
    return {
      data: keys,
      unreadableCount: data.length - keys.length + (meta?.data?.unreadable ?? 0),
      links: links?.data,
      meta: meta?.data,
      isUnclear: links?.success === false || meta?.success === false || undocumented.length > 0,
    }
  })
  return z.pipe(rawAnswer, read)
}

/** Some services write an object without fields as an empty array. */
function isAbsent(value: unknown): boolean {
  return value == null || (Array.isArray(value) && value.length === 0)
}
