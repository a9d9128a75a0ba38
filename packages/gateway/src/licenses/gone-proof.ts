import { type CommerceError, isCommerceError, isSameId, type Licenses } from '@latchkey/commerce'
import { isOlderThan } from '@latchkey/services'
import type { EmptyLists } from './empty-lists.ts'

/** How long to read the service's list for a proof, in milliseconds. The app is waiting for its response. */
const proofWithinMs = 5_000

/**
 * - `gone`: the list lacks the key.
 * - `listed`: the list has the key, and the service refuses to validate it. Some services keep listing a key after they
 *   deactivated it.
 * - `unlisted`: no complete list is available, because the token may not list keys or a part is unreadable.
 * - `unproven`: the list has the key, which may be valid, is too old, or the request for it failed.
 */
export type GoneProof = 'gone' | 'listed' | 'unlisted' | 'unproven'

/**
 * Returns whether the service proves that a key is gone: its list of the license's keys is complete, readable, and
 * doesn't contain the key. A 404 alone proves nothing, because a misconfigured proxy returns 404 for everything, and
 * trusting it would lock devices out.
 *
 * @param refusedAtMs when the key was refused, in milliseconds since the epoch; `null` if the refusal has no date.
 * @param emptyLists records complete lists, for the log.
 */
export async function proveGone(
  licenses: Licenses,
  licenseId: string,
  keyId: string,
  refusedAtMs: number | null,
  emptyLists: EmptyLists,
): Promise<GoneProof> {
  const isKey = ({ id }: { id: string }): boolean => isSameId(id, keyId)
  const listDatesMs: number[] = []
  try {
    const { keys, isWhole } = await licenses.keyList(licenseId, {
      withinMs: proofWithinMs,
      until: (page) => page.some(isKey),
      onAnswer: ({ serverDateMs }) => {
        if (serverDateMs !== null) listDatesMs.push(serverDateMs)
      },
    })
    const isOld = listDatesMs.some((listedAtMs) => isOlderThan(refusedAtMs, listedAtMs))
    if (isOld) return 'unproven'
    if (keys.some(isKey)) return (await refusesToValidate(licenses, licenseId, keyId)) ? 'listed' : 'unproven'
    if (!isWhole) return 'unlisted'
    emptyLists.note(licenseId, keys.length === 0)
    return 'gone'
  } catch (error) {
    const isForbidden = isCommerceError(error) && error.status === 403 && error.bodyIsJson === true
    return isForbidden ? 'unlisted' : 'unproven'
  }
}

/** Whether the service refused, or a proxy in front of it, with a status such as 404 or 422. */
export function isRefusal(error: unknown): error is CommerceError {
  return isCommerceError(error) && (error.code === 'not-found' || error.code === 'rejected')
}

/** Whether the service itself refused. The error page of a proxy is hardly ever JSON. */
export function isRefusalInJson(error: unknown): boolean {
  return isRefusal(error) && error.bodyIsJson === true
}

/** Whether the service itself refuses to validate a key. That takes no seat. */
export async function refusesToValidate(
  licenses: Licenses,
  licenseId: string,
  keyId: string,
): Promise<boolean> {
  try {
    await licenses.validate(licenseId, { key: keyId })
    return false
  } catch (error) {
    return isRefusalInJson(error)
  }
}
