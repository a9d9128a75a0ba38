import { type CallOptions, type CommerceClient, isCommerceError, type LicenseKey } from '@latchkey/commerce'
import { explainMissingList, explainNothingListed, isUnknownAtGateway } from './explain-failure.ts'
import { explainUnusable } from './explain-license.ts'

export type Licenses = CommerceClient['licenses']

/** What a gateway answers about the devices of a license. */
export interface KeyList {
  readonly keys: readonly LicenseKey[]
  /** Why the gateway has no list; `null` if it has one. */
  readonly missing: string | null
  /** Whether it says that no service knows the license. */
  readonly isUnknown: boolean
}

/** Lists the keys of a license, or says why the gateway can't. Apps work without that list. */
export async function listKeys(licenses: Licenses, licenseId: string, call?: CallOptions): Promise<KeyList> {
  try {
    return { keys: await licenses.keys(licenseId, call), missing: null, isUnknown: false }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    const missing = explainMissingList(error) ?? explainNothingListed(error) ?? explainUnusable(error)
    if (missing === null) throw error
    return { keys: [], missing, isUnknown: isUnknownAtGateway(error) }
  }
}
