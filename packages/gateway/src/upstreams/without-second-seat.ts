import { type LicenseKey, parseKeyName } from '@latchkey/commerce'
import { type Reply, refused } from '../http/reply.ts'
import type { LicenseOperations } from '../licenses/license-operations.ts'

/** The reply if a service can't be asked. */
export const notReached: Reply = refused(502, 'upstream-unreachable')

/**
 * Activates at a service whose list the app may not have read, because another service answered instead. So the list is
 * read first: a device on it keeps its seat.
 */
export function withoutSecondSeat(service: LicenseOperations): LicenseOperations['activate'] {
  return async (licenseId, name, leaseRequest) => {
    const activate = () => service.activate(licenseId, name, leaseRequest)
    const { fingerprint } = parseKeyName(name)
    if (fingerprint === null) return activate()
    const listed = await service.keys(licenseId, 1)
    // With such a token, an app doesn't look for an earlier activation either.
    if (listed.code === 'list-not-allowed') return activate()
    if (listed.status !== 200) return listed.code === 'list-unreadable' ? notReached : listed
    const { data, links, meta } = (listed.body ?? {}) as KeysBody
    const own = data?.find((key) => parseKeyName(key.name).fingerprint === fingerprint)
    if (own !== undefined) {
      const reply = await service.validate(licenseId, own.id, leaseRequest, fingerprint)
      // A service that lists the device knows the license, so its reason counts. A 404 contradicts the list.
      return reply.status === 404 || reply.status === 410 ? notReached : reply
    }
    const isWhole = data !== undefined && links?.next == null && !meta?.unreadable
    return isWhole ? activate() : notReached
  }
}

/** The body of a reply with a list of keys. */
interface KeysBody {
  readonly data?: readonly LicenseKey[]
  readonly links?: { readonly next?: string | null }
  readonly meta?: { readonly unreadable?: number }
}
