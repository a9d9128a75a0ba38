import { isCommerceError, type Licenses } from '@latchkey/commerce'

/** How long the service's list is walked for a proof, in milliseconds: an app waits for its answer meanwhile. */
const proofWithinMs = 5_000

/** A list that is this much older than the refusal comes out of a cache, and may be older than the key. */
export const longestListAgeMs = 60_000

/**
 * - `gone`: the list lacks the key.
 * - `unlisted`: nobody can read such a list. The token may not, or a part of it can't be read. Apps don't get one either.
 * - `unproven`: the list has the key, is old, or didn't come.
 */
export type GoneProof = 'gone' | 'unlisted' | 'unproven'

/**
 * Returns whether the service itself proves that a key is gone: its list of the license's keys is there, whole and readable, and
 * lacks it. A status alone proves nothing. A proxy that lost its route answers 404 to everything, and a device that
 * believed it would be locked out.
 *
 * @param refusedAtMs when the key was refused, in milliseconds since the epoch.
 */
export async function proveGone(
  licenses: Licenses,
  licenseId: string,
  keyId: string,
  refusedAtMs: number,
): Promise<GoneProof> {
  const isKey = ({ id }: { id: string }): boolean => id.toLowerCase() === keyId.toLowerCase()
  let listedAtMs = refusedAtMs
  try {
    const { keys, isWhole } = await licenses.keyList(licenseId, {
      withinMs: proofWithinMs,
      until: (page) => page.some(isKey),
      onAnswer: ({ serverDateMs }) => {
        listedAtMs = Math.min(listedAtMs, serverDateMs ?? listedAtMs)
      },
    })
    if (keys.some(isKey) || refusedAtMs - listedAtMs > longestListAgeMs) return 'unproven'
    return isWhole ? 'gone' : 'unlisted'
  } catch (error) {
    const isForbidden = isCommerceError(error) && error.status === 403 && error.bodyIsJson === true
    return isForbidden ? 'unlisted' : 'unproven'
  }
}
