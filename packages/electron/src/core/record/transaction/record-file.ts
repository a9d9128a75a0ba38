import type { StorageTier } from '../../../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../../../shared/problem.ts'
import type { LicensingPorts } from '../../licensing-core.ts'
import type { DeviceIdentity } from '../../ports/device-port.ts'
import type { JsonObject } from '../../ports/store-port.ts'
import { describeProblem } from '../../problem.ts'
import type { LicensingEvent } from '../licensing-event.ts'
import { type LoadedVault, loadVault, mayOpenLater, nothingLoaded } from '../load-vault.ts'
import { openDocument, sealDocument, sealDocumentNow } from '../sealed-document.ts'
import type { Vault } from '../vault.ts'

/** The content to write: the vault with the latest mark, and the device it belongs to. */
export interface RecordContent {
  readonly vault: Vault
  readonly device: DeviceIdentity | null
}

/** A record that opened late, and what takes it over, which is loaded only then. */
export type OpenedLate = Pick<Extract<LicensingEvent, { type: 'record-opened' }>, 'earlier' | 'takenOver'>

/** The record's file. Other processes of this app may write it too. */
export interface RecordFile {
  /** How the record is protected on disk. */
  readonly tier: StorageTier
  /** Why the last write failed; `null` once one succeeded. */
  readonly problem: Problem | null
  /** Whether the file has a record that can't be opened now, but perhaps later. */
  readonly isSealedAway: boolean
  /** That record, as JSON text; `null` if there is none. */
  readonly unopened: string | null
  /** Opens a record that couldn't be opened when it was replaced; `null` if it still can't. Never rejects. */
  open(unopened: string): Promise<OpenedLate | null>
  /** Reads the record. Never rejects. */
  load(): Promise<LoadedVault>
  /** Notes a loaded record. Its vault is used from now on. */
  use(loaded: LoadedVault): void
  /** Notes a loaded record that can't be used. The next write keeps it under another name. */
  keep(loaded: LoadedVault): void
  /** Makes the next write keep the existing file under another name, because it belongs to another device. */
  setAsideNext(): void
  /** Whether the file has another record than the one last noted or written. A missing or damaged file doesn't count. */
  isChanged(): boolean
  /**
   * Writes the record. Never rejects.
   *
   * @param overrules whether to replace a record that another process wrote since the last one was noted.
   * @returns `changed` if there was such a record and it was not replaced.
   */
  write(content: RecordContent, overrules: boolean): Promise<'written' | 'changed' | 'failed'>
  /**
   * Writes the record synchronously, because the process is about to exit. Does nothing if another process wrote one,
   * or if the system can't seal it without waiting. Never throws.
   */
  writeNow(content: RecordContent): void
}

/** A longer record isn't kept inside the one that replaces it, in characters. It is still kept under another name. */
const longestUnopened = 20_000

/** Creates the record's file. */
export function createRecordFile({ store, secrets, clock, logger }: LicensingPorts): RecordFile {
  let tier: StorageTier = 'plain'
  let problem: Problem | null = null
  let mustSetAside = false
  let isSealedAway = false
  let unopened: string | null = null
  let known = ''

  function note(loaded: LoadedVault): void {
    known = JSON.stringify(loaded.newest)
    isSealedAway = mayOpenLater(loaded.problem)
    const text = loaded.unopened === undefined ? '' : JSON.stringify(loaded.unopened)
    unopened = text === '' || text.length > longestUnopened ? null : text
  }

  async function openText(text: string): Promise<OpenedLate | null> {
    const opened = await openDocument(JSON.parse(text), secrets)
    if (!opened.ok) return null
    const { takenOver } = await import('../seats/take-over.ts')
    return { earlier: opened.vault, takenOver }
  }

  function isChanged(): boolean {
    try {
      const { newest } = store.read()
      return newest.found === 'document' && JSON.stringify(newest.document) !== known
    } catch {
      return false
    }
  }

  function failed(code: ProblemCode, name: string = code): 'failed' {
    tier = 'memory'
    problem = describeProblem({ code }, clock.now())
    logger.error(`The license record could not be saved (${name})`)
    return 'failed'
  }

  /** Prepares an attempt to replace the file. There may be several, while another program holds the file. */
  function mayReplace(overrules: boolean): boolean {
    if (!overrules && isChanged()) return false
    if (mustSetAside) store.setAside()
    return true
  }

  /** Notes that a document has replaced the file. */
  function noteReplaced(document: JsonObject): void {
    mustSetAside = false
    known = JSON.stringify(document)
  }

  async function write(
    { vault, device }: RecordContent,
    overrules: boolean,
  ): Promise<'written' | 'changed' | 'failed'> {
    const sealed = await sealDocument(vault, device, secrets)
    let isOther = false
    const written = await store.write(
      sealed.document,
      () => {
        // A process that doesn't use the lock may have written while this record was sealed.
        isOther = !mayReplace(overrules)
        return !isOther
      },
      () => noteReplaced(sealed.document),
    )
    if (isOther) return 'changed'
    if (!written.ok) return failed(written.code)
    isSealedAway = false
    tier = sealed.tier
    problem = null
    return 'written'
  }

  return {
    get tier() {
      return tier
    },
    get problem() {
      return problem
    },
    get isSealedAway() {
      return isSealedAway
    },
    get unopened() {
      return isSealedAway ? unopened : null
    },
    open: (text) => openText(text).catch(() => null),
    load: () => loadVault(store, secrets).catch(() => nothingLoaded),
    use(loaded) {
      note(loaded)
      tier = loaded.tier
      mustSetAside = loaded.mustSetAside
    },
    keep(loaded) {
      note(loaded)
      mustSetAside = true
    },
    setAsideNext() {
      mustSetAside = true
      isSealedAway = false
    },
    isChanged,
    write: (content, overrules) =>
      write(content, overrules).catch((error: unknown) =>
        failed('unexpected', error instanceof Error ? error.name : typeof error),
      ),
    writeNow({ vault, device }) {
      const document = sealDocumentNow(vault, device, secrets)
      if (document === null) return
      store.writeNow(
        document,
        () => mayReplace(false),
        () => noteReplaced(document),
      )
    },
  }
}
