import * as z from 'zod/mini'

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
