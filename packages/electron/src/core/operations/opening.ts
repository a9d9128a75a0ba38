import type { LicensingRules } from '../licensing-core.ts'
import type { LicensingSession } from '../licensing-session.ts'

/** Reads the record at launch. If no keychain sealed it, the device is identified first. */
export async function openRecord(session: LicensingSession, { trialMs }: LicensingRules): Promise<void> {
  const { tier } = await session.open()
  const vault = session.vault()
  // Without a keychain a copied folder opens here too, so check which device it belongs to before the app opens.
  if (tier !== 'keychain' && vault.activation !== null) await session.identity().catch(() => {})
  session.published.publish()
  const isNewHere = vault.activation === null && vault.trialStartedAtMs === null
  const isAwaitingRecord = session.isSealedAway() || vault.unopened !== undefined
  if (trialMs > 0 && isNewHere && !isAwaitingRecord) void session.recordAnswer({ type: 'trial-started' })
}
