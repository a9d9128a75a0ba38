import type { Reply } from '../http/reply.ts'

/** So many licenses in a row don't all lose their last key by chance. */
const licensesToWarn = 3

/** Counts licenses in a row that lost a key and whose key list is empty. */
export interface EmptyLists {
  /** @param isEmpty whether the service lists no key of the license. `false` starts again. */
  note(licenseId: string, isEmpty: boolean): void
  /** Returns what to log for a key that is gone. */
  remarkOf(licenseId: string): Pick<Reply, 'remark'>
}

export function createEmptyLists(): EmptyLists {
  let latest: readonly string[] = []
  return {
    note(licenseId, isEmpty) {
      const others = latest.filter((other) => other !== licenseId)
      latest = isEmpty ? [licenseId, ...others].slice(0, licensesToWarn) : []
    },
    remarkOf(licenseId) {
      if (!latest.includes(licenseId)) return {}
      return { remark: latest.length < licensesToWarn ? 'no-keys-listed' : 'no-keys-at-all' }
    },
  }
}
