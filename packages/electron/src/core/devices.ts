import { type LicenseKey, toDate } from '@latchkey/commerce'
import type { Device } from '../shared/results.ts'
import { formatTimestamp } from '../shared/timestamp.ts'
import type { Desk } from './desk.ts'
import { parseKeyName } from './key-name.ts'
import { listKeys } from './own-keys.ts'
import type { Trouble } from './problem.ts'
import { isSameId } from './same-id.ts'

/** The devices of a license, oldest first. */
export async function listDevices(
  desk: Desk,
  licenseId: string,
): Promise<
  | { readonly ok: true; readonly devices: readonly Device[] }
  | { readonly ok: false; readonly trouble: Trouble }
> {
  const listing = await listKeys(desk, licenseId)
  switch (listing.kind) {
    case 'refused':
    case 'undecided':
      return { ok: false, trouble: listing.trouble }
    case 'keys': {
      const { fingerprint } = await desk.identity()
      const devices = listing.keys
        .map((key): Device => {
          const name = parseKeyName(key.name)
          const isThisDevice = name.fingerprint === fingerprint || isOnRecord(desk, licenseId, key)
          const created = key.created_at === null ? null : toDate(key.created_at)
          const activatedAt = created === null ? null : formatTimestamp(created.getTime())
          return { id: key.id, label: name.label, activatedAt, isThisDevice }
        })
        .sort((one, other) => ((one.activatedAt ?? '') < (other.activatedAt ?? '') ? -1 : 1))
      return { ok: true, devices }
    }
  }
}

/** A service may have cut this device's name, so that only its record tells. */
function isOnRecord(desk: Desk, licenseId: string, key: LicenseKey): boolean {
  const { activation } = desk.vault()
  return (
    activation !== null && isSameId(activation.licenseId, licenseId) && isSameId(activation.keyId, key.id)
  )
}
