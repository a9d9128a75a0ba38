import type { StorageTier } from '../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../shared/problem.ts'
import type { LicensingPorts } from '../licensing-core.ts'
import type { DeviceIdentity } from '../ports/device-port.ts'
import { describeProblem } from '../problem.ts'
import type { LoadedVault } from './load-vault.ts'
import { sealDocument } from './sealed-document.ts'
import type { Vault } from './vault.ts'

/** The content to write: the vault with the latest mark, and the device it belongs to. */
export interface RecordContent {
  readonly vault: Vault
  readonly device: DeviceIdentity | null
}

/** The record on disk, as this process last saw it. Other processes of this app may write the same file. */
export interface RecordFile {
  /** How the record is protected on disk. */
  readonly tier: StorageTier
  /** Why the last write failed; `null` once one succeeded. */
  readonly problem: Problem | null
  /** Notes a loaded record as the known content. */
  opened(loaded: LoadedVault): void
  /** Makes the next write keep the existing file under another name. */
  setAsideNext(): void
  /** Keeps a record that can't be opened, until the user activates or deactivates and so replaces it. */
  keepUnopened(loaded: LoadedVault): void
  /** Notes that the record belongs to another device. The next write sets it aside. */
  setAsideForeign(loaded: LoadedVault): void
  /** Writes the record, even if another process wrote a different one. */
  save(): Promise<void>
  /** Writes the record, unless another process wrote a different one. */
  saveUnlessForeign(): Promise<void>
  /** Whether another process has written since this one last read or wrote. */
  isOverwritten(): boolean
  /** Returns the same, but `false` for a record that is kept unopened. */
  isTakenOver(): boolean
}

/**
 * Creates the record's file.
 *
 * @param content called when a write begins.
 * @param onSaved called after every write, successful or not.
 */
export function createRecordFile(
  { store, secrets, clock, logger }: LicensingPorts,
  content: () => RecordContent,
  onSaved: () => void,
): RecordFile {
  let tier: StorageTier = 'plain'
  let problem: Problem | null = null
  let mustSetAside = false
  // The content this process last read or wrote.
  let lastSeen = ''
  let beingWritten = ''
  let unopened = ''
  let saving: Promise<void> = Promise.resolve()

  /** The content that another process of this app wrote; `null` if the content is already known. */
  function foreignText(): string | null {
    const { newest } = store.read()
    if (newest.found !== 'document') return null
    const text = JSON.stringify(newest.document)
    return text === lastSeen || text === beingWritten ? null : text
  }

  /** Runs one write at a time, so that the newest vault is written last. */
  function enqueue(task: () => Promise<void>): Promise<void> {
    saving = saving.then(task).catch((error: unknown) => notSaved('unexpected', error))
    return saving
  }

  /** @param overrules whether to overwrite what another process of this app wrote. */
  async function write(overrules: boolean): Promise<void> {
    const { vault, device } = content()
    const sealed = await sealDocument(vault, device, secrets)
    const text = JSON.stringify(sealed.document)
    let isForeign = false
    const written = await store.write(sealed.document, () => {
      // Sealing may take seconds, so compare the file only when the new record is ready to replace it.
      isForeign = !overrules && foreignText() !== null
      if (isForeign) return false
      if (mustSetAside) store.setAside()
      mustSetAside = false
      beingWritten = text
      return true
    })
    if (isForeign) return
    if (!written.ok) return notSaved(written.code)
    lastSeen = text
    tier = sealed.tier
    problem = null
    onSaved()
  }

  function notSaved(code: ProblemCode, error?: unknown): void {
    tier = 'memory'
    problem = describeProblem({ code }, clock.now())
    logger.error(`The license record could not be saved (${error instanceof Error ? error.name : code})`)
    onSaved()
  }

  return {
    get tier() {
      return tier
    },
    get problem() {
      return problem
    },
    opened(loaded) {
      tier = loaded.tier
      mustSetAside = loaded.mustSetAside
      lastSeen = JSON.stringify(loaded.newest)
    },
    setAsideNext() {
      mustSetAside = true
    },
    keepUnopened(loaded) {
      unopened = JSON.stringify(loaded.newest)
      mustSetAside = true
    },
    setAsideForeign(loaded) {
      lastSeen = JSON.stringify(loaded.newest)
      mustSetAside = true
    },
    save: () => enqueue(() => write(true)),
    saveUnlessForeign: () =>
      enqueue(async () => {
        if (foreignText() === null) await write(false)
      }),
    isOverwritten: () => foreignText() !== null,
    isTakenOver: () => ![null, unopened].includes(foreignText()),
  }
}
