import type { StorageTier } from '../../shared/licensing-state.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { DeviceIdentity } from '../ports/device-port.ts'
import type { SecretsPort } from '../ports/secrets-port.ts'
import type { StoredDocument, StoredDocuments, StoreFault, StorePort } from '../ports/store-port.ts'
import { openDocument } from './sealed-document.ts'
import { emptyVault, type Vault } from './vault.ts'

/** The record found on disk, and how to handle it. */
export interface LoadedVault {
  readonly vault: Vault
  readonly device: DeviceIdentity | null
  readonly tier: StorageTier
  readonly problem: ProblemCode | null
  /** Whether the newest file must be kept under another name before the next write. */
  readonly mustSetAside: boolean
  /** The newest document as found; `null` if none could be read. */
  readonly newest: unknown
  /** A document that can't be opened now, but perhaps later; absent if there is none. */
  readonly unopened?: unknown
}

type Attempt =
  | { readonly outcome: 'opened'; readonly loaded: Opened }
  | { readonly outcome: 'nothing' }
  | {
      readonly outcome: 'fault'
      readonly code: ProblemCode
      readonly device: DeviceIdentity | null
      readonly document?: unknown
    }

const faultCodes: Readonly<Record<StoreFault, ProblemCode>> = {
  empty: 'store-empty',
  unreadable: 'store-unreadable',
  // The file is neither lost nor damaged. Reading is retried, and nothing replaces it in the meantime.
  'out-of-reach': 'unexpected',
}

/** Used when reading fails unexpectedly. The launch continues, and nothing on disk is discarded. */
export const nothingLoaded: LoadedVault = {
  vault: emptyVault,
  device: null,
  tier: 'plain',
  problem: 'unexpected',
  mustSetAside: true,
  newest: null,
}

/** Whether nothing on disk could be opened, not even the last good copy. */
export function hasNotOpened({ problem }: LoadedVault): boolean {
  return problem !== null && problem !== 'store-restored'
}

/** Whether a record with this problem may open later: in a newer app, or when the keychain returns. */
export function mayOpenLater(problem: ProblemCode | null): boolean {
  return problem === 'store-newer-version' || problem === 'store-undecryptable' || problem === 'unexpected'
}

/** Reads the newest document, or its last good copy if that one is damaged. Starts empty if both are. */
export async function loadVault(store: StorePort, secrets: SecretsPort): Promise<LoadedVault> {
  const stored = store.read()
  const opened = await openEither(stored, secrets)
  const { newest } = stored
  return { ...opened, newest: newest.found === 'document' ? newest.document : null }
}

type Opened = Omit<LoadedVault, 'newest'>

async function openEither(stored: StoredDocuments, secrets: SecretsPort): Promise<Opened> {
  const first = await attempt(stored.newest, secrets)
  if (first.outcome === 'opened') return first.loaded

  // A file from a newer version isn't damaged, and its copy would only be older.
  const mayRestore = first.outcome === 'nothing' || first.code !== 'store-newer-version'
  const second = mayRestore ? await attempt(stored.lastGood, secrets) : first
  const mustSetAside = first.outcome === 'fault'
  if (second.outcome === 'opened') return { ...second.loaded, problem: 'store-restored', mustSetAside }
  // A copy that the keychain may still open is more useful than a file that is lost.
  const isSealedAway = second.outcome === 'fault' && second.code === 'store-undecryptable'
  const faults = isSealedAway ? [second] : [first, second]
  const fault = faults.find((one) => one.outcome === 'fault')
  return {
    vault: emptyVault,
    device: fault?.device ?? null,
    tier: 'plain',
    problem: fault?.code ?? null,
    mustSetAside,
    ...(fault !== undefined && mayOpenLater(fault.code) && { unopened: fault.document }),
  }
}

async function attempt(stored: StoredDocument, secrets: SecretsPort): Promise<Attempt> {
  switch (stored.found) {
    case 'nothing':
      return { outcome: 'nothing' }
    case 'fault':
      return { outcome: 'fault', code: faultCodes[stored.fault], device: null }
    case 'document': {
      const opened = await openDocument(stored.document, secrets)
      return opened.ok
        ? { outcome: 'opened', loaded: { ...opened, problem: null, mustSetAside: false } }
        : { outcome: 'fault', code: opened.code, device: opened.device, document: stored.document }
    }
  }
}
