import type { Page } from '@latchkey/commerce'
import { UsageError } from '../usage-error.ts'

/** Refuses an empty page after the last one. @throws {UsageError} */
export function refuseMissingPage({ data, meta }: Page<unknown>): void {
  const lastPage = Math.max(meta.last_page, 1)
  if (data.length > 0 || meta.current_page <= lastPage) return
  const pages = lastPage === 1 ? '1 page' : `${lastPage} pages`
  throw new UsageError(`There is no page ${meta.current_page}: the list has ${pages}.`)
}
