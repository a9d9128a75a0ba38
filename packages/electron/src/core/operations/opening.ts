import type { ProblemCode } from '../../shared/problem.ts'
import type { LicensingRules } from '../licensing-core.ts'
import type { LicensingSession } from '../licensing-session.ts'
import { type LoadedVault, loadVault } from '../record/load-vault.ts'
import { emptyVault, isWorthKeeping } from '../record/vault.ts'

/** Reads this device's record. */
export interface Opening {
  /** Reads the record at launch. If no keychain sealed it, the device is identified first. */
  open(): Promise<void>
  /**
   * Reads the record again if it could not be opened (a keyring may be unlocked, or a file released, long after launch)
   * or if another process of this app has written it since.
   */
  openAgain(): Promise<void>
  /** Whether a record exists that can't be opened yet. */
  isWaiting(): boolean
}

export function createOpening(session: LicensingSession, { trialMs }: LicensingRules): Opening {
  const { store, secrets } = session.ports
  let isUnopened = false

  function load(): Promise<LoadedVault> {
    return loadVault(store, secrets).catch((): LoadedVault => nothingLoaded)
  }

  function isWaiting(): boolean {
    return isUnopened && !isWorthKeeping(session.vault())
  }

  return {
    isWaiting,
    async open() {
      const loaded = await load()
      session.open(loaded)
      isUnopened = hasNotOpened(loaded)
      // Without a keychain a copied folder opens here too, so check which device it belongs to before the app opens.
      if (loaded.tier !== 'keychain' && loaded.vault.activation !== null)
        await session.identity().catch(() => {})
      session.published.publish()
      // Another process may activate while a slow keychain seals this, and a trial must not overwrite that.
      if (trialMs > 0 && isNewHere(loaded)) void session.recordAnswer({ type: 'trial-started' })
    },
    async openAgain() {
      if (!isWaiting() && !session.file.isOverwritten()) return
      const before = session.vault()
      const loaded = await load()
      // A newer in-memory change wins over what we just read from disk.
      if (session.vault() !== before) return
      // The folder may be shared by several computers, or was copied while the app runs.
      const isForeign = session.isOfAnotherDevice(loaded)
      if (hasNotOpened(loaded) && !isForeign) return session.file.keepUnopened(loaded)
      isUnopened = false
      if (isForeign) session.setAsideForeign(loaded)
      else session.open(loaded)
      session.published.publish()
    },
  }
}

/** Used when reading fails unexpectedly. The launch continues, and nothing on disk is discarded. */
const nothingLoaded: LoadedVault = {
  vault: emptyVault,
  device: null,
  tier: 'plain',
  problem: 'unexpected',
  mustSetAside: true,
  newest: null,
}

function hasNotOpened({ problem }: LoadedVault): boolean {
  return problem !== null && problem !== 'store-restored'
}

/** A newer app or a returning keychain can still open such a record, so it must not be replaced. */
const sealedAway: ReadonlySet<ProblemCode | null> = new Set<ProblemCode | null>([
  'store-newer-version',
  'store-undecryptable',
  'unexpected',
])

/** Whether nothing was ever saved on this device. */
function isNewHere({ vault, problem }: LoadedVault): boolean {
  return vault.activation === null && vault.trialStartedAtMs === null && !sealedAway.has(problem)
}
