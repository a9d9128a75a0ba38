import { type LicenseKey, toDate } from '@latchkey/commerce'
import type { Device } from '../../../shared/results.ts'
import { formatTimestamp } from '../../../shared/timestamp.ts'
import type { LicensingSession } from '../../licensing-session.ts'
import type { ProblemCause } from '../../problem.ts'
import { isSameId } from '../../record/same-id.ts'
import { parseKeyName } from '../../service/key-name.ts'
import { listKeys } from '../../service/own-keys.ts'

/** Lists the devices of a license, oldest first. */
export async function listDevices(
  session: LicensingSession,
  licenseId: string,
): Promise<
  | { readonly ok: true; readonly devices: readonly Device[] }
  | { readonly ok: false; readonly cause: ProblemCause }
> {
  const listing = await listKeys(session, licenseId)
  switch (listing.kind) {
    case 'refused':
    case 'undecided':
      return { ok: false, cause: listing.cause }
    case 'keys': {
      const { fingerprint } = await session.identity()
      const devices = listing.keys
        .map((key): Device => {
          const name = parseKeyName(key.name)
          const isThisDevice = name.fingerprint === fingerprint || isOnRecord(session, licenseId, key)
          const created = key.created_at === null ? null : toDate(key.created_at)
          const activatedAt = created === null ? null : formatTimestamp(created.getTime())
          return { id: key.id, label: name.label, activatedAt, isThisDevice }
        })
        .sort((one, other) => ((one.activatedAt ?? '') < (other.activatedAt ?? '') ? -1 : 1))
      return { ok: true, devices }
    }
  }
}

/** Whether the record says the key is this device's. A service may have shortened the name that identifies it. */
function isOnRecord(session: LicensingSession, licenseId: string, key: LicenseKey): boolean {
  const { activation } = session.vault()
  return (
    activation !== null && isSameId(activation.licenseId, licenseId) && isSameId(activation.keyId, key.id)
  )
}
