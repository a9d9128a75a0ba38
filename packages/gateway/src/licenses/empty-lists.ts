import type { Reply } from '../http/reply.ts'
import { makeRoom } from '../make-room.ts'

/** So many licenses in a row don't all lose their last key by chance. */
const several = 3

/** The licenses that lost a key because the service lists none of them, since it last knew a license with a key. */
export interface EmptyLists {
  note(licenseId: string, isEmpty: boolean): void
  /** Returns what to log for a key that is gone. */
  remarkOf(licenseId: string): Pick<Reply, 'remark'>
}

export function createEmptyLists(): EmptyLists {
  const licenseIds = new Set<string>()
  return {
    note(licenseId, isEmpty) {
      if (!isEmpty) {
        licenseIds.clear()
        return
      }
      if (!licenseIds.has(licenseId)) makeRoom(licenseIds, several)
      licenseIds.add(licenseId)
    },
    remarkOf(licenseId) {
      if (!licenseIds.has(licenseId)) return {}
      return { remark: licenseIds.size < several ? 'no-keys-listed' : 'no-keys-at-all' }
    },
  }
}
