import type { LicenseService } from '@latchkey/services'
import type { LicensingActivity, LicensingState } from '../shared/licensing-state.ts'
import type { Problem } from '../shared/problem.ts'
import { endOf, storedLease } from './answers.ts'
import { createTrustedClock, type TrustedClock } from './clock.ts'
import { describeChange } from './describe.ts'
import { type Entitlement, type EntitlementRules, entitlementOf } from './entitlement.ts'
import type { DeviceIdentity, Lease, LeasePort, LicensingPorts, LockOutcome } from './ports.ts'
import { type AnyCause, describeProblem, nameCause, nameError, type ProblemCause } from './problem.ts'
import {
  type ActivationRecord,
  copiedRecord,
  emptyRecord,
  isFromAnotherDevice,
  isWorthKeeping,
  type LicenseRecord,
  mayKnow,
  settleIdentity,
  withoutFuture,
} from './record.ts'
import { createRecordFile, hasNotOpened, isOfAnotherApp, type LoadedRecord } from './record-file.ts'
import {
  createFeaturesOf,
  createListeners,
  type LicenseTerms,
  type LicensingListener,
  projectState,
} from './state.ts'

/** A change of the record, from what lies on disk. `nowMs` is the high-water mark when it happened. */
export type RecordChange = (record: LicenseRecord, nowMs: number) => LicenseRecord

/** The rules, and what a license includes. */
export interface RecordRules extends EntitlementRules {
  /** Returns what a license includes. @default the features that the service reports */
  readonly features?: ((license: LicenseTerms) => readonly string[]) | undefined
  /** Which devices are listed and can be released. @default 'all' */
  readonly devices?: 'all' | 'own' | undefined
}

/** The outcome of one operation. */
export interface JournalEntry {
  /** Wall clock, milliseconds since the epoch. */
  readonly atMs: number
  readonly operation: string
  /** `null` if it succeeded. */
  readonly cause: AnyCause | null
}

/**
 * What this device remembers, and the state that follows from it. Every change is a transaction: take the lock, read what
 * lies on disk, apply the change, write, release. A change also applies in memory at once, so that the app doesn't wait for
 * the disk. Other processes of the app may share the record.
 */
export interface DeviceRecord {
  readonly current: LicenseRecord
  readonly state: LicensingState
  readonly time: TrustedClock
  /** At most ten entries, newest last. */
  readonly journal: readonly JournalEntry[]
  /** Whether the file has a record that can't be opened now. Background work leaves it alone. */
  readonly isSealedAway: boolean
  /** Whether its file was deleted while the app runs. */
  hasVanished(): boolean
  /** Whether the keychain sealed the record, so that nobody else can have written it. */
  readonly isSealedByKeychain: boolean
  entitlement(): Entitlement
  subscribe(listener: LicensingListener): () => void
  /** Reads the record at launch. Takes no lock and writes nothing. */
  open(): Promise<void>
  /** Reads the record again if another process wrote it or if it couldn't be opened. */
  refresh(): Promise<void>
  /** Returns this device's identity. The system is asked once per launch. */
  identity(): Promise<DeviceIdentity>
  /**
   * Applies a change and publishes the new state at once. Resolves when it is on disk, or can't be written now. A record
   * that can't be opened is replaced, and kept under another name.
   *
   * @returns why it isn't on disk; `null` if it is.
   */
  change(change: RecordChange): Promise<ProblemCause | null>
  /** Does the same for what the service answered, but leaves a record that can't be opened alone. */
  note(change: RecordChange): Promise<void>
  /** Writes the time. Does nothing if there is no record. */
  saveTime(): Promise<void>
  /**
   * The service gave a definite answer, and perhaps its time.
   *
   * @param mayAdvance whether that time may move the mark forward. Only what confirms the license may: otherwise one wrong
   * `Date` could use up the grace period.
   */
  noteAnswer(serverDateMs: number | null, mayAdvance: boolean): void
  /** The last attempt got no definite answer. The next definite answer clears this. */
  setUnreachable(): void
  setActivity(activity: LicensingActivity): void
  /** Publishes a problem; `null` clears the current one, and one from loading the record. */
  setProblem(cause: ProblemCause | null): void
  /** Adds an operation's outcome to the journal. */
  noteOutcome(operation: string, cause: AnyCause | null): void
  /** Publishes what changed through time alone. */
  publish(): void
  /** Runs a task that takes or frees a seat. No other process of this app does so at the same time. */
  exclusively<Outcome>(task: () => Promise<Outcome>): Promise<Outcome>
  /** Stops publishing failures: requests are canceled because the app quits. */
  end(): void
  /** Writes what isn't on disk yet synchronously, because the process is about to exit. */
  finish(): void
}

interface Unwritten {
  readonly change: RecordChange
  /** Whether it replaces a record that can't be opened. */
  readonly replaces: boolean
  readonly atMs: number
}

/** How often a transaction starts over because a process without the lock wrote meanwhile. */
const mostAttempts = 5
const mostEntries = 10

/** Creates the record. Nothing has been read yet. */
export function createDeviceRecord(ports: LicensingPorts, rules: RecordRules): DeviceRecord {
  const { clock, service, device, secrets, leases, logger, lock } = ports
  const time = createTrustedClock(clock, { atMs: 0, wallMs: 0, monotonicMs: clock.monotonic() })
  const file = createRecordFile(ports)
  const featuresOf = createFeaturesOf(rules.features, logger)
  const listeners = createListeners(logger)
  let record = emptyRecord
  // What the next launch finds.
  let onDisk = emptyRecord
  let unwritten: readonly Unwritten[] = []
  let queue: Promise<void> = Promise.resolve()
  let holders = 0
  let holding: Promise<LockOutcome> | null = null
  let known: DeviceIdentity | null = null
  let itself: DeviceIdentity | null = null
  let identifying: Promise<DeviceIdentity> | null = null
  let isUnreachable = false
  let hasEnded = false
  let activity: LicensingActivity = 'idle'
  let problem: Problem | null = null
  let loadProblem: Problem | null = null
  let journal: readonly JournalEntry[] = []
  let logged: { readonly record: LicenseRecord; readonly state: LicensingState } | null = null
  let state = project()

  function entitlement(): Entitlement {
    return entitlementOf(record, time.nowMs(), rules, {
      service: service.name,
      isUnreachable,
      requiresLease: leases !== undefined,
      answersOffline: service.capabilities.answersOffline === true,
      isSealed: file.tier === 'keychain',
    })
  }

  /** Problems in order of importance: the last operation, saving, loading, the trial. */
  function project(): LicensingState {
    const current = entitlement()
    const isOutdated = problem?.code === 'moved-to-another-device' && current.status !== 'revoked'
    const copied = record.activation?.verdict === 'copied' ? record.activation : null
    const trialEndedAtMs = current.status === 'unlicensed' ? current.trialEndedAtMs : null
    // If the activation comes back at the next launch, its seat must not have been freed from another device.
    const isSaved = onDisk.activation?.activationId === record.activation?.activationId
    return projectState(record, current, featuresOf, isSaved, {
      device: known === null ? null : { label: known.label, fingerprint: known.fingerprint },
      activity,
      problem:
        (isOutdated ? null : problem) ??
        file.problem ??
        loadProblem ??
        (copied && describeProblem({ code: 'record-of-another-device' }, copied.decidedAtMs)) ??
        (trialEndedAtMs === null ? null : describeProblem({ code: 'trial-over' }, trialEndedAtMs)),
      storage: file.tier,
    })
  }

  function publish(): void {
    const next = project()
    if (logged !== null) {
      for (const line of describeChange(logged, { record, state: next })) logger.info(line)
    }
    logged = { record, state: next }
    if (JSON.stringify(next) === JSON.stringify(state)) return
    const previous = state
    state = next
    listeners.tell(next, previous)
  }

  function setProblem(cause: ProblemCause | null): void {
    if (hasEnded && cause !== null) return
    problem = cause === null ? null : describeProblem(cause, clock.now())
    // A problem from launch stays until the service has confirmed this device again.
    if (cause === null) loadProblem = null
    publish()
  }

  function noteOutcome(operation: string, cause: AnyCause | null): void {
    journal = [...journal, { atMs: clock.now(), operation, cause }].slice(-mostEntries)
    if (cause?.code !== 'unauthorized') return
    // Only the developer can fix a refused access token.
    logger.error(
      `The license service refused this app's request (${operation}): ${nameCause(cause)}. Check the access token or gateway`,
    )
  }

  /** One lock for operations and transactions. What starts while this process holds it runs under the same lock. */
  async function exclusively<Outcome>(task: () => Promise<Outcome>): Promise<Outcome> {
    if (lock === undefined) return task()
    holders += 1
    holding ??= lock.acquire()
    const held = holding
    await held
    try {
      return await task()
    } finally {
      holders -= 1
      if (holders === 0) {
        holding = null
        const acquired = await held
        if (acquired.kind === 'held') await acquired.release()
      }
    }
  }

  /** Runs one task at a time, so that no task reads while another one writes. */
  function enqueue(task: () => Promise<void>): Promise<void> {
    queue = queue.then(task).catch((error: unknown) => {
      logger.error(`The license record could not be updated (${nameError(error)})`)
    })
    return queue
  }

  async function load(): Promise<LoadedRecord> {
    return readable(await file.load())
  }

  async function readable(found: LoadedRecord): Promise<LoadedRecord> {
    const own = ownRecord(found.record, service)
    return { ...found, record: leases === undefined ? own : await withTrustedLease(own, leases) }
  }

  function use(loaded: LoadedRecord): void {
    file.use(loaded)
    ;({ record } = loaded)
    onDisk = record
    known ??= loaded.device
    logged = null
    show(loaded)
  }

  function show(loaded: LoadedRecord): void {
    // While the keychain is still asking its user, nothing is wrong yet.
    const isAwaited = loaded.problem === 'store-undecryptable' && secrets.isAnswerAwaited?.() === true
    const code = isAwaited ? null : loaded.problem
    if (code !== null && isOfAnotherApp(loaded.newest, secrets)) {
      logger.error(
        'The license record was written under another appId, so this device must activate again and takes another seat. An appId must never change: restore the previous one.',
      )
    }
    loadProblem = code === null ? null : describeProblem({ code }, clock.now())
  }

  function storedMark(): Parameters<TrustedClock['resume']>[0] {
    const { markMs, wallMs } = record.clock
    return { atMs: markMs, wallMs, monotonicMs: clock.monotonic() }
  }

  /** Continues from the record that another process wrote: applies to it what is only known here. */
  function rebase(loaded: LoadedRecord): void {
    use(loaded)
    time.resume(storedMark())
    const nowMs = time.nowMs()
    record = withoutFuture(record, nowMs)
    for (const { change, atMs } of unwritten) record = change(record, Math.min(atMs, nowMs))
  }

  async function readAgain(): Promise<void> {
    if (!file.isSealedAway && !file.isChanged()) return
    const loaded = await load()
    if (itself !== null && isFromAnotherDevice(loaded.device, itself)) {
      // The folder may be shared by several computers, or was copied while the app runs.
      file.keep(loaded)
      setAsideOther('read the record')
      if (record.activation === null) setProblem({ code: 'record-of-another-device' })
    } else if (hasNotOpened(loaded)) {
      file.keep(loaded)
      if (!isWorthKeeping(record)) show(loaded)
    } else {
      rebase(loaded)
    }
  }

  /** Keeps the other device's record in case the folder is moved back. */
  function setAsideOther(operation: string): void {
    file.setAsideNext()
    void commit(true)
    noteOutcome(operation, { code: 'record-of-another-device' })
  }

  async function transact(): Promise<void> {
    // Nobody waits for the lock at the end. Without it, saving the time could undo what another process has just written.
    const hasLock = (await holding)?.kind !== 'ended'
    if (!hasLock && unwritten.length === 0 && !time.isBehind()) return
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      await readAgain()
      if (mustStay()) return
      const outcome = await write()
      // If only the time had to be saved, the other process has just done so.
      if (outcome !== 'changed' || unwritten.length === 0) return
    }
  }

  /**
   * Whether the file may open later, or was deleted, and no operation has replaced it or tried to while the disk was full.
   */
  function mustStay(): boolean {
    return (file.isSealedAway || file.hasVanished()) && !unwritten.some(({ replaces }) => replaces)
  }

  function withClock(): LicenseRecord {
    const { atMs, wallMs } = time.mark()
    return { ...record, clock: { markMs: atMs, wallMs } }
  }

  async function write(): Promise<'written' | 'changed' | 'failed'> {
    record = withClock()
    const written = unwritten
    const content = { record, device: known }
    const outcome = await file.write(content)
    if (outcome === 'written') {
      onDisk = content.record
      unwritten = unwritten.filter((one) => !written.includes(one))
    }
    return outcome
  }

  /** Writes what isn't on disk yet, and the time if that is asked for. */
  function commit(isTime = false): Promise<void> {
    return enqueue(async () => {
      // An earlier transaction may have written everything already.
      if (!isTime && unwritten.length === 0) return
      await exclusively(transact)
      publish()
    })
  }

  /** @returns what is written from now on; `null` if nothing changed. */
  function apply(change: RecordChange, replaces: boolean): Unwritten | null {
    const made = { change, replaces, atMs: time.nowMs() }
    const next = change(record, made.atMs)
    if (next === record) return null
    record = next
    unwritten = [...unwritten, made]
    publish()
    return made
  }

  async function identity(): Promise<DeviceIdentity> {
    identifying ??= device.identify(known?.randomId ?? null).then(async (found) => {
      itself = found
      const isOther = isFromAnotherDevice(known, found)
      // The folder may have been moved back here.
      const own = isOther ? await file.loadSetAside(found.fingerprint) : null
      known = settleIdentity(isOther ? (own?.device ?? null) : known, found)
      if (isOther) {
        if (own !== null) rebase(await readable(own))
        else {
          record = copiedRecord(record)
          setProblem({ code: 'record-of-another-device' })
        }
        setAsideOther('identify this device')
      }
      publish()
      return known
    })
    return identifying
  }

  return {
    get current() {
      return record
    },
    get state() {
      return state
    },
    get journal() {
      return journal
    },
    get isSealedAway() {
      return file.isSealedAway
    },
    hasVanished: file.hasVanished,
    get isSealedByKeychain() {
      return file.tier === 'keychain'
    },
    time,
    entitlement,
    subscribe: listeners.subscribe,
    async open() {
      use(await load())
      time.resume(storedMark())
    },
    refresh: () =>
      enqueue(async () => {
        await readAgain()
        publish()
      }),
    identity,
    async change(change) {
      const made = apply(change, true)
      await commit()
      const isUnsaved = made !== null && unwritten.includes(made)
      return isUnsaved ? (file.problem ?? { code: 'unexpected' }) : null
    },
    note(change) {
      apply(change, false)
      return commit()
    },
    async saveTime() {
      if (isWorthKeeping(record)) await commit(true)
    },
    noteAnswer(serverDateMs, mayAdvance) {
      isUnreachable = false
      if (serverDateMs === null || (!mayAdvance && serverDateMs > time.nowMs())) return
      if (time.anchor(serverDateMs) < 0) record = withoutFuture(record, serverDateMs)
    },
    setUnreachable() {
      isUnreachable = !hasEnded
    },
    setActivity(next) {
      activity = next
      publish()
    },
    setProblem,
    noteOutcome,
    publish,
    exclusively,
    end() {
      hasEnded = true
      lock?.end()
    },
    finish() {
      // A clock that is behind doesn't show at the next launch how long this one lasted.
      const isTimeLost = isWorthKeeping(record) && time.isBehind()
      if ((unwritten.length === 0 && !isTimeLost) || mustStay()) return
      record = withClock()
      file.writeNow({ record, device: known })
    },
  }
}

/**
 * Returns the record as this app's service needs it. Nothing is wanted of another service, and its seats can't be given
 * back from here. The activation stays, so that a paying customer can keep working until grace ends.
 */
function ownRecord(record: LicenseRecord, service: LicenseService): LicenseRecord {
  const { service: before, wanted, owed } = record
  const isOurs = ({ licenseKey }: { readonly licenseKey: string }): boolean =>
    before === null || mayKnow(service, { service: before, licenseKey })
  return { ...record, wanted: wanted && isOurs(wanted) ? wanted : null, owed: owed.filter(isOurs) }
}

/**
 * Returns the record with only those facts that were signed. An edited end, a lease of another device or license, or a
 * signature that isn't trusted counts as no lease. A text without a trusted signature stays, because another release of the
 * app may trust it, or the next launch may be able to verify it.
 */
async function withTrustedLease(record: LicenseRecord, leases: LeasePort): Promise<LicenseRecord> {
  const { activation, clock } = record
  if (activation === null) return record
  const { verdict, fingerprint, license } = activation
  const lease = activation.lease && (await leases.verify(activation.lease.jws, activation))
  const offline = activation.offline && (leases.verifyOffline?.(activation.offline.jws, activation) ?? null)
  const held = storedLease(lease, fingerprint, verdict)
  const answer = storedLease(offline, fingerprint, 'valid')
  const [latest] = [held && lease, answer && offline]
    .filter((one): one is Lease => one !== null)
    .sort((one, other) => other.issuedAtMs - one.issuedAtMs)
  // It was issued in the past, so the time is at least that, regardless of the clock.
  const markMs = Math.max(clock.markMs, latest?.issuedAtMs ?? 0)
  // The record may have been edited, so what was signed is read from the signed text again.
  const terms = latest?.license ?? { expiresAt: license.expiresAt, plan: null, features: [] }
  // The end on record is the earlier one if the gateway didn't know it and signed the time of its answer instead.
  const isEarlier = verdict === 'expired' && endOf(license) < endOf(terms)
  const trusted: ActivationRecord = {
    ...activation,
    // Without a signature, the last valid answer may be invented, but it can't be later than the record.
    validAtMs: Math.min(activation.validAtMs, markMs),
    decidedAtMs: Math.min(activation.decidedAtMs, markMs),
    lease: lease === null ? distrusted(activation.lease) : held,
    offline:
      offline === null
        ? distrusted(activation.offline)
        : activation.offline && answer && { ...activation.offline, ...answer },
    license: { ...license, ...terms, ...(isEarlier && { expiresAt: license.expiresAt }) },
  }
  return { ...record, activation: trusted, clock: { ...clock, markMs } }
}

/** Returns a text that entitles nothing. */
function distrusted<Stored extends { readonly issuedAtMs: number; readonly expiresAtMs: number }>(
  stored: Stored | null,
): Stored | null {
  return stored && { ...stored, issuedAtMs: 0, expiresAtMs: 0 }
}
