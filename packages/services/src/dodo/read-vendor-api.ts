import type { Unavailable } from '../contract/outcome.ts'
import type { ServiceCall } from '../contract/service-call.ts'
import { type Reply, send, undocumented } from '../http/send.ts'
import type { DodoSettings } from './options.ts'
import { pageSchema } from './vendor-wire.ts'

/** Reads from the vendor's API, with its key. */
export function get(
  { baseUrl }: DodoSettings,
  apiKey: string,
  path: string,
  call: ServiceCall | undefined,
): Promise<Reply | Unavailable> {
  const headers = { authorization: `Bearer ${apiKey}` }
  return send({ method: 'GET', url: `${baseUrl}${path}`, headers }, call)
}

/** Reads a license by its ID. */
export function getLicense(
  settings: DodoSettings,
  apiKey: string,
  licenseId: string,
  call: ServiceCall | undefined,
): Promise<Reply | Unavailable> {
  return get(settings, apiKey, `/license_keys/${encodeURIComponent(licenseId)}`, call)
}

/** A page of a list that the vendor's API returned. */
export interface Page {
  readonly kind: 'page'
  readonly items: readonly unknown[]
  readonly reply: Reply
}

/** Reads one page, of at most 100 items. Pages are counted from 0. */
export async function getPage(
  settings: DodoSettings,
  apiKey: string,
  path: string,
  query: Record<string, string>,
  page: number,
  call: ServiceCall | undefined,
): Promise<Page | Unavailable> {
  const search = new URLSearchParams({ ...query, page_size: '100', page_number: String(page) })
  const reply = await get(settings, apiKey, `${path}?${search}`, call)
  if (reply.kind !== 'reply') return reply
  const parsed = pageSchema.safeParse(reply.body)
  if (reply.status !== 200 || !parsed.success) return undocumented(reply)
  return { kind: 'page', items: parsed.data.items, reply }
}
