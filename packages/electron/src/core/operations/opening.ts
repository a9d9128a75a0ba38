import type { ProblemCode } from '../../shared/problem.ts'
import type { LicensingRules } from '../licensing-core.ts'
import type { LicensingSession } from '../licensing-session.ts'
import { type LoadedVault, loadVault } from '../record/load-vault.ts'
import { emptyVault, isWorthKeeping } from '../record/vault.ts'

/** Reads what this device remembers. */
export interface Opening {
  /** Decides from disk, at launch; where no keychain sealed the record, from this device's ID as well. */
  open(): Promise<void>
  /**
   * Reads once more where it did not open (a keyring is unlocked, a file let go of, long after the app was started) and
   * where another process of this app has written meanwhile.
   */
  openAgain(): Promise<void>
  /** Whether there is a record that waits to be opened. */
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
      // No keychain keeps a copied folder from being opened here: whose it is must be known before the app opens.
      if (loaded.tier !== 'keychain' && loaded.vault.activation !== null)
        await session.identity().catch(() => {})
      session.published.publish()
      // Another process may activate while a slow keychain seals this: a trial never replaces what it wrote.
      if (trialMs > 0 && isNewHere(loaded)) void session.recordAnswer({ type: 'trial-started' })
    },
    async openAgain() {
      if (!isWaiting() && !session.file.isOverwritten()) return
      const before = session.vault()
      const loaded = await load()
      // Whoever did something in between counts more than what lies on disk.
      if (session.vault() !== before) return
      // A folder that several computers share, or one that was copied while the app runs.
      const isForeign = session.isOfAnotherDevice(loaded)
      if (hasNotOpened(loaded) && !isForeign) return session.file.keepUnopened(loaded)
      isUnopened = false
      if (isForeign) session.setAsideForeign(loaded)
      else session.open(loaded)
      session.published.publish()
    },
  }
}

/** A launch goes on whatever happens; what could not even be looked at is not thrown away. */
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

/** What a newer app, or a keychain that comes back, can open is a record still: it must not be pushed aside. */
const sealedAway: ReadonlySet<ProblemCode | null> = new Set<ProblemCode | null>([
  'store-newer-version',
  'store-undecryptable',
  'unexpected',
])

/** Whether nothing was ever remembered here. */
function isNewHere({ vault, problem }: LoadedVault): boolean {
  return vault.activation === null && vault.trialStartedAtMs === null && !sealedAway.has(problem)
}
