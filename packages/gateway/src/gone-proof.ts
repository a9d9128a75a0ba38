import type { Licenses } from '@latchkey/commerce'

/** How long the service's list is walked for a proof, in milliseconds: an app waits for its answer meanwhile. */
const proofWithinMs = 5_000

/** A list that is this much older than the refusal comes out of a cache, and may be older than the key. */
const longestListAgeMs = 60_000

/**
 * Whether the service itself proves that a key is gone: its list of the license's keys is there, whole and readable, and
 * lacks it. A status alone proves nothing. A proxy that lost its route answers 404 to everything, and a device that
 * believed it would be locked out.
 *
 * @param refusedAtMs when the key was refused, in milliseconds since the epoch.
 */
export async function isProvenGone(
  licenses: Licenses,
  licenseId: string,
  keyId: string,
  refusedAtMs: number,
): Promise<boolean> {
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
    return isWhole && !keys.some(isKey) && refusedAtMs - listedAtMs <= longestListAgeMs
  } catch {
    return false
  }
}
