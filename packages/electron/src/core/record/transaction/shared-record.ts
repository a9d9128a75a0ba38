import type { LicensingPorts } from '../../licensing-core.ts'
import type { DeviceIdentity } from '../../ports/device-port.ts'
import { type LockOutcome, withLock } from '../../ports/lock-port.ts'
import type { TrustedClock } from '../../time/trusted-clock.ts'
import { decide } from '../decide.ts'
import type { LicensingEvent } from '../licensing-event.ts'
import { hasNotOpened, type LoadedVault } from '../load-vault.ts'
import { isMoved, withService } from '../seats/service-of-record.ts'
import { withTrustedLease } from '../stored-lease.ts'
import { emptyVault, isWorthKeeping, markOf, type Vault, withMark } from '../vault.ts'
import type { RecordFile } from './record-file.ts'

/**
 * What this device remembers, on a disk that it may share with other processes of the app. Every change is a
 * transaction: take the lock, read what lies on disk, apply the events that were not written yet, write, release. An
 * event is applied in memory at once, so the app doesn't wait for the disk.
 */
export interface SharedRecord {
  vault(): Vault
  /** Whether such an event isn't on disk yet. */
  isUnwritten(type: LicensingEvent['type']): boolean
  /** Reads the record at launch. Takes no lock and writes nothing. */
  open(): Promise<LoadedVault>
  /** Reads the record again if another process wrote it or if it couldn't be opened. Takes no lock. */
  refresh(): Promise<void>
  /** Applies an event in memory. The next transaction writes it. */
  apply(event: LicensingEvent): void
  /** Drops a record of another device. The next transaction keeps its file under another name. */
  discard(): void
  /** Adopts the time that the service stated. The next transaction writes it. */
  stateTime(serverDateMs: number): void
  /**
   * Runs a transaction. Resolves when all applied events are on disk, or can't be written now: then the next
   * transaction tries again.
   *
   * @param purpose `operation` replaces a record that can't be opened, and keeps it under another name. `answer` leaves
   * such a record alone. `time` does too, and writes the mark even if there is no event.
   */
  commit(purpose: Purpose): Promise<void>
  /** Writes synchronously what a transaction was to write, because the process is about to exit. */
  finish(): void
}

/** What a transaction is for. */
export type Purpose = 'operation' | 'answer' | 'time'

/** What the record needs to know. */
export interface SharedRecordOptions {
  readonly ports: LicensingPorts
  readonly time: TrustedClock
  readonly file: RecordFile
  /** Returns this device's identity, as it is written beside the record. */
  readonly device: () => DeviceIdentity | null
  readonly isOfAnotherDevice: (loaded: LoadedVault) => boolean
  /**
   * Called when the record on disk replaces the one in memory, and when the keychain has refused to open it after all.
   * While the keychain is still asking its user, `problem` is `null`.
   */
  readonly onOpened: (loaded: LoadedVault) => void
  /** Called when the record on disk belongs to another device. */
  readonly onForeign: () => void
  /** Called after every transaction, successful or not. */
  readonly onSettled: () => void
  readonly onLock: (kind: LockOutcome['kind']) => void
}

/** An event that isn't on disk yet. */
interface UnwrittenEvent {
  readonly id: number
  readonly event: LicensingEvent
  /** When it happened, in milliseconds on the high-water mark. */
  readonly atMs: number
}

/** How often a transaction starts over because a process without the lock wrote meanwhile. */
const mostAttempts = 5

/** Creates the record. Nothing has been read yet. */
export function createSharedRecord(options: SharedRecordOptions): SharedRecord {
  const { ports, time, file, device } = options
  const { clock, commerce, leases, logger, recordLock } = ports
  const { name: service, ids } = commerce
  let vault = emptyVault
  let unwritten: readonly UnwrittenEvent[] = []
  let lastId = 0
  let writtenId = 0
  let statedId = 0
  let isTimeUnwritten = false
  /** Whether the record didn't open only because the keychain is still asking its user. */
  let isAwaited = false
  let queue: Promise<void> = Promise.resolve()

  /** Runs one task at a time, so that no task reads while another one writes. */
  function enqueue(task: () => Promise<void>): Promise<void> {
    queue = queue.then(task).catch((error: unknown) => {
      const name = error instanceof Error ? error.name : typeof error
      logger.error(`The license record could not be updated (${name})`)
    })
    return queue
  }

  function use(loaded: LoadedVault): void {
    file.use(loaded)
    vault = loaded.vault
    show(loaded)
  }

  function show(loaded: LoadedVault): void {
    isAwaited = loaded.problem === 'store-undecryptable' && ports.secrets.isAnswerAwaited?.() === true
    options.onOpened(isAwaited ? { ...loaded, problem: null } : loaded)
  }

  /** A record as this app's service needs it, with only what is signed where signatures are required. */
  async function owned(found: Vault): Promise<Vault> {
    const own = withService(found, service, ids)
    return leases === undefined ? own : withTrustedLease(own, leases)
  }

  async function load(): Promise<LoadedVault> {
    const loaded = await file.load()
    // What belongs to the old service stays in its file.
    const mustSetAside = loaded.mustSetAside || isMoved(loaded.vault, service, ids)
    return { ...loaded, vault: await owned(loaded.vault), mustSetAside }
  }

  function add(event: LicensingEvent): void {
    const atMs = time.nowMs()
    vault = decide(vault, event, atMs)
    lastId += 1
    unwritten = [...unwritten, { id: lastId, event, atMs }]
  }

  /** Continues from the record that another process wrote: applies to it what is only known here. */
  function rebase(loaded: LoadedVault): void {
    use(loaded)
    const stored = markOf(vault, clock.monotonic())
    if (statedId > writtenId) {
      // The service stated the time since, and this clock already follows it.
      vault = decide(vault, { type: 'time-stated', movedMs: time.leadOver(stored) }, time.nowMs())
    } else {
      const beforeMs = time.nowMs()
      time.resume(stored)
      moveEvents(time.nowMs() - beforeMs)
    }
    for (const { event, atMs } of unwritten) vault = decide(vault, event, Math.min(atMs, time.nowMs()))
  }

  /** Adjusts the times of unwritten events to a clock that was corrected. */
  function moveEvents(movedMs: number): void {
    unwritten = unwritten.map((one) => ({ ...one, atMs: one.atMs + movedMs }))
  }

  async function readAgain(): Promise<void> {
    if (!file.isSealedAway && !file.isChanged()) return
    const loaded = await load()
    if (options.isOfAnotherDevice(loaded)) {
      // The folder may be shared by several computers, or was copied while the app runs.
      file.keep(loaded)
      file.setAsideNext()
      options.onForeign()
    } else if (hasNotOpened(loaded)) {
      file.keep(loaded)
      // The keychain has refused now.
      if (isAwaited) show(loaded)
    } else {
      rebase(loaded)
    }
  }

  /** Takes over an earlier record that couldn't be opened when another one replaced it, if it opens now. */
  async function openEarlier(): Promise<void> {
    if (vault.unopened === undefined) return
    const { document } = vault.unopened
    const opened = await file.open(document)
    if (opened === null) return
    const earlier = await owned(opened.earlier)
    const stored = markOf(earlier, clock.monotonic())
    const behindMs = -time.leadOver(stored)
    if (behindMs > 0) {
      // Setting the clock back while the keychain is locked gains nothing.
      time.resume(stored)
      moveEvents(behindMs)
      vault = decide(vault, { type: 'time-stated', movedMs: behindMs }, time.nowMs())
    }
    add({ type: 'record-opened', document, ...opened, earlier })
  }

  function isUnwritten(type: LicensingEvent['type']): boolean {
    return unwritten.some(({ event }) => event.type === type)
  }

  /** Whether the file may open later, and no operation has replaced it or tried to while the disk was full. */
  function mustStay(): boolean {
    return file.isSealedAway && !isUnwritten('record-replaced')
  }

  async function transact(purpose: Purpose): Promise<void> {
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      await readAgain()
      await openEarlier()
      if (mustStay() && purpose !== 'operation') return
      const { unopened: document } = file
      if (document !== null && document !== vault.unopened?.document)
        add({ type: 'record-replaced', document })
      const outcome = await write(purpose === 'operation' && attempt === mostAttempts)
      if (outcome !== 'changed') return
      // The other process has just saved the time too.
      if (purpose === 'time' && unwritten.length === 0) return
    }
  }

  async function write(overrules: boolean): Promise<'written' | 'changed' | 'failed'> {
    vault = withMark(vault, time.mark())
    const id = lastId
    const outcome = await file.write({ vault, device: device() }, overrules)
    if (outcome === 'written') {
      writtenId = id
      isAwaited = false
      isTimeUnwritten = false
      unwritten = unwritten.filter((one) => one.id > writtenId)
    }
    return outcome
  }

  return {
    vault: () => vault,
    isUnwritten,
    async open() {
      const loaded = await load()
      use(loaded)
      time.resume(markOf(vault, clock.monotonic()))
      await openEarlier()
      return loaded
    },
    refresh: () =>
      enqueue(async () => {
        await readAgain()
        await openEarlier()
        options.onSettled()
      }),
    apply: add,
    discard() {
      // This isn't an event, because it is only about the record that was read here.
      vault = decide(vault, { type: 'found-on-another-device' }, time.nowMs())
      file.setAsideNext()
    },
    stateTime(serverDateMs) {
      const movedMs = time.anchor(serverDateMs)
      vault = decide(vault, { type: 'time-stated', movedMs }, serverDateMs)
      moveEvents(movedMs)
      lastId += 1
      statedId = lastId
    },
    commit: (purpose) => {
      isTimeUnwritten ||= purpose === 'time'
      return enqueue(async () => {
        // An earlier transaction may have written everything already.
        if (purpose !== 'time' && unwritten.length === 0) return
        await withLock(recordLock, options.onLock, () => transact(purpose))
        options.onSettled()
      })
    },
    finish() {
      // A clock that is behind doesn't show at the next launch how long this one lasted.
      const isTimeLost = isTimeUnwritten || (isWorthKeeping(vault) && time.isBehind())
      if ((unwritten.length === 0 && !isTimeLost) || mustStay()) return
      vault = withMark(vault, time.mark())
      file.writeNow({ vault, device: device() })
    },
  }
}
