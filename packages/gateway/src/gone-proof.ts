import type { Licenses } from '@latchkey/commerce'

/** How long the service's list is walked for a proof, in milliseconds: an app waits for its answer meanwhile. */
const proofWithinMs = 5_000

/**
 * Whether the service itself proves that a key is gone: its list of the license's keys is there, whole and readable, and
 * lacks it. A status alone proves nothing. A proxy that lost its route answers 404 to everything, and a device that
 * believed it would be locked out.
 */
export async function isProvenGone(licenses: Licenses, licenseId: string, keyId: string): Promise<boolean> {
  const isKey = ({ id }: { id: string }): boolean => id.toLowerCase() === keyId.toLowerCase()
  try {
    const { keys, isWhole } = await licenses.keyList(licenseId, {
      withinMs: proofWithinMs,
      until: (page) => page.some(isKey),
    })
    return isWhole && !keys.some(isKey)
  } catch {
    return false
  }
}
