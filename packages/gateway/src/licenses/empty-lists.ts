import type { Reply } from '../http/reply.ts'

/** So many licenses in a row don't all lose their last key by chance. */
const several = 3

/** Counts the licenses that lost a key because the service lists no key of them, until it knows a license with a key. */
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
      latest = isEmpty ? [licenseId, ...others].slice(0, several) : []
    },
    remarkOf(licenseId) {
      if (!latest.includes(licenseId)) return {}
      return { remark: latest.length < several ? 'no-keys-listed' : 'no-keys-at-all' }
    },
  }
}
