import type { LicensingActivity, LicensingState, StorageTier } from '../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../shared/problem.ts'
import { decide, type LicensingEvent } from './decide.ts'
import { describeChange, type Picture } from './describe-change.ts'
import { isFromAnotherDevice, settleIdentity } from './device-identity.ts'
import { advanceMark, anchorMark, type ClockReading, isClockBehind } from './high-water-mark.ts'
import type { LicensingListener, LicensingPorts, LicensingRules } from './licensing-core.ts'
import { createListeners } from './listeners.ts'
import type { LoadedVault } from './load-vault.ts'
import type { DeviceIdentity } from './ports/device-port.ts'
import { describeProblem, nameTrouble, type Trouble } from './problem.ts'
import { projectState } from './project-state.ts'
import { isOfAnotherApp, sealDocument } from './sealed-document.ts'
import { type Standing, standingOf } from './standing.ts'
import { withTrustedLease } from './stored-lease.ts'
import { emptyVault, markOf, type Vault, withMark } from './vault.ts'

/** One line of what happened lately. */
export interface JournalEntry {
  /** Wall clock, milliseconds since the epoch. */
  readonly atMs: number
  readonly operation: string
  readonly trouble: Trouble | null
}

const journalLength = 10

/** Where an operation finds and leaves everything: what is remembered, what time it is, who listens. */
export interface Desk {
  readonly ports: LicensingPorts
  readonly state: LicensingState
  vault(): Vault
  /** The high-water mark now, in milliseconds since the epoch. */
  nowMs(): number
  standing(): Standing
  /** Who this device is; asked of the system once per launch. */
  identity(): Promise<DeviceIdentity>
  /** Takes over what was found on disk; nobody is told before the next `publish`. */
  open(loaded: LoadedVault): void
  /** Whether what was found on disk was written on another device, as far as this one is identified. */
  isOfAnotherDevice(loaded: LoadedVault): boolean
  /** Leaves alone what was found on disk and does not open; a person's own deed sets it aside. */
  leaveAlone(loaded: LoadedVault): void
  /** Puts what is remembered here in the place of another device's record, which is set aside. */
  putAside(loaded: LoadedVault): void
  /** Decides an event, publishes the new state at once and has it on disk when the promise settles. */
  record(event: LicensingEvent): Promise<void>
  /** The same for what nobody here did: it is not written over what another process of this app wrote. */
  hear(event: LicensingEvent): Promise<void>
  /** The service answered definitely: its time is the best there is. */
  answered(serverDateMs: number | null): void
  /** How an operation ended, for the journal alone. */
  note(operation: string, trouble: Trouble | null): void
  /** What the state tells as its problem from now on. */
  setProblem(trouble: Trouble | null): void
  /** Both: how an operation ended, and what there is to tell about it. */
  report(operation: string, trouble: Trouble | null): void
  /** The last outcomes, newest last, for the support report. */
  journal(): readonly JournalEntry[]
  /** The last attempt brought nothing definite; the next definite answer ends that. */
  setUnreachable(): void
  setActivity(activity: LicensingActivity): void
  /** From now on what could not be asked says nothing: requests are given up because the app ends. */
  end(): void
  /** Whether the wall clock stands so far behind that somebody should set it right. */
  isClockBehind(): boolean
  /** Writes the mark, unless another process of this app wrote something else: time alone overrules nobody. */
  saveMark(): Promise<void>
  /** Whether another process of this app has written the record since this one read or wrote it. */
  isOverwritten(): boolean
  /** The same, but for a record that is left alone because it does not open. */
  isTakenOver(): boolean
  /** Decides again what time alone may have changed, and tells listeners when it did. */
  publish(): void
  subscribe(listener: LicensingListener): () => void
}

export function createDesk(ports: LicensingPorts, rules: LicensingRules): Desk {
  const { clock, store, device, secrets, leases, logger } = ports
  const listeners = createListeners(logger)
  let vault = emptyVault
  let mark = markOf(vault, clock.monotonic())
  let known: DeviceIdentity | null = null
  let itself: DeviceIdentity | null = null
  let identifying: Promise<DeviceIdentity> | null = null
  let isUnreachable = false
  let activity: LicensingActivity = 'idle'
  let tier: StorageTier = 'plain'
  let problem: Problem | null = null
  let storageProblem: Problem | null = null
  let loadProblem: Problem | null = null
  let mustSetAside = false
  // What lay on disk when this process last looked or wrote.
  let lastSeen = ''
  let beingWritten = ''
  let leftAlone = ''
  let journal: readonly JournalEntry[] = []
  let saving: Promise<void> = Promise.resolve()
  let hasEnded = false
  let told: Picture | null = null
  let state = project()

  function read(): ClockReading {
    return { wallMs: clock.now(), monotonicMs: clock.monotonic() }
  }

  function nowMs(): number {
    mark = advanceMark(mark, read())
    return mark.atMs
  }

  function standing(): Standing {
    return standingOf(vault, nowMs(), isUnreachable, { ...rules, requiresLease: leases !== undefined })
  }

  function trialProblem(now: Standing): Problem | null {
    return now.status === 'unlicensed' && now.trialEndedAtMs !== null
      ? describeProblem({ code: 'trial-over' }, now.trialEndedAtMs)
      : null
  }

  function project(): LicensingState {
    const now = standing()
    return projectState({
      standing: now,
      activation: vault.activation,
      device: known === null ? null : { label: known.label, fingerprint: known.fingerprint },
      activity,
      problem: problem ?? storageProblem ?? loadProblem ?? trialProblem(now),
      storage: tier,
    })
  }

  /** One line for each thing that happened to this device's license. */
  function tell(next: LicensingState): void {
    const picture = { vault, state: next }
    if (told !== null) for (const line of describeChange(told, picture)) logger.info(line)
    told = picture
  }

  function publish(): void {
    const next = project()
    tell(next)
    if (JSON.stringify(next) === JSON.stringify(state)) return
    const previous = state
    state = next
    listeners.tell(next, previous)
  }

  async function identity(): Promise<DeviceIdentity> {
    identifying ??= device.identify(known?.randomId ?? null).then((found) => {
      const isStranger = isFromAnotherDevice(known, vault.activation, found)
      known = isStranger ? found : settleIdentity(known, found)
      itself = found
      if (isStranger) {
        // It is another device's record: it is kept, should the folder travel back.
        mustSetAside = true
        void record({ type: 'found-on-another-device' })
        report('identify this device', { code: 'record-of-another-device' })
      }
      publish()
      return known
    })
    return identifying
  }

  function record(event: LicensingEvent): Promise<void> {
    vault = decide(vault, event, nowMs())
    publish()
    return save()
  }

  function note(operation: string, trouble: Trouble | null): void {
    journal = [...journal, { atMs: clock.now(), operation, trouble }].slice(-journalLength)
    if (trouble?.code !== 'unauthorized') return
    logger.error(
      `The license service refused this app's request (${operation}): ${nameTrouble(trouble)}. Check the access token or gateway`,
    )
  }

  function setProblem(trouble: Trouble | null): void {
    if (hasEnded && trouble !== null) return
    problem = trouble === null ? null : describeProblem(trouble, clock.now())
    // What was lost at launch matters until the service has confirmed this device again.
    if (trouble === null) loadProblem = null
    publish()
  }

  function report(operation: string, trouble: Trouble | null): void {
    note(operation, trouble)
    setProblem(trouble)
  }

  function save(): Promise<void> {
    return enqueue(() => write(true))
  }

  function saveMark(): Promise<void> {
    return enqueue(async () => {
      if (foreignText() === null) await write(false)
    })
  }

  /** What another process of this app wrote; `null` when what lies on disk is known. */
  function foreignText(): string | null {
    const { newest } = store.read()
    if (newest.found !== 'document') return null
    const text = JSON.stringify(newest.document)
    return text === lastSeen || text === beingWritten ? null : text
  }

  /** One write at a time, the newest vault last. */
  function enqueue(task: () => Promise<void>): Promise<void> {
    saving = saving.then(task).catch((error: unknown) => notSaved('unexpected', error))
    return saving
  }

  /** @param overrules whether it replaces what another process of this app wrote. */
  async function write(overrules: boolean): Promise<void> {
    nowMs()
    vault = withMark(vault, mark)
    const sealed = await sealDocument(vault, known, secrets)
    const text = JSON.stringify(sealed.document)
    let isForeign = false
    const written = await store.write(sealed.document, () => {
      // A keychain may take seconds: what lies on disk is looked at when the new record is ready to replace it.
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
    storageProblem = null
    publish()
  }

  function notSaved(code: ProblemCode, error?: unknown): void {
    tier = 'memory'
    storageProblem = describeProblem({ code }, clock.now())
    logger.error(`The license record could not be saved (${error instanceof Error ? error.name : code})`)
    publish()
  }

  return {
    ports,
    get state() {
      return state
    },
    vault: () => vault,
    nowMs,
    isClockBehind: () => isClockBehind(mark, read()),
    standing,
    identity,
    open(loaded) {
      // What is found was there before.
      told = null
      vault = leases === undefined ? loaded.vault : withTrustedLease(loaded.vault, leases)
      known ??= loaded.device
      tier = loaded.tier
      mustSetAside = loaded.mustSetAside
      lastSeen = JSON.stringify(loaded.newest)
      if (loaded.problem !== null && isOfAnotherApp(loaded.newest, secrets)) {
        logger.error(
          'The license record was written under another appId, so this device has to activate again and takes another seat. An appId must never change: set it back.',
        )
      }
      loadProblem = loaded.problem === null ? null : describeProblem({ code: loaded.problem }, clock.now())
      mark = advanceMark(markOf(vault, clock.monotonic()), read())
    },
    isOfAnotherDevice: (loaded) =>
      itself !== null && isFromAnotherDevice(loaded.device, loaded.vault.activation, itself),
    leaveAlone(loaded) {
      leftAlone = JSON.stringify(loaded.newest)
      mustSetAside = true
    },
    putAside(loaded) {
      lastSeen = JSON.stringify(loaded.newest)
      mustSetAside = true
      const trouble: Trouble = { code: 'record-of-another-device' }
      note('read the record', trouble)
      // Whoever is activated here has nothing to do about it.
      if (vault.activation === null) setProblem(trouble)
      void save()
    },
    record,
    hear(event) {
      vault = decide(vault, event, nowMs())
      publish()
      return saveMark()
    },
    answered(serverDateMs) {
      isUnreachable = false
      if (serverDateMs === null) return
      const beforeMs = nowMs()
      mark = anchorMark(read(), serverDateMs)
      vault = decide(vault, { type: 'time-stated', movedMs: serverDateMs - beforeMs }, serverDateMs)
    },
    journal: () => journal,
    note,
    setProblem,
    report,
    setUnreachable() {
      isUnreachable = !hasEnded
    },
    setActivity(next) {
      activity = next
      publish()
    },
    end() {
      hasEnded = true
    },
    saveMark,
    isOverwritten: () => foreignText() !== null,
    isTakenOver: () => ![null, leftAlone].includes(foreignText()),
    publish,
    subscribe: listeners.subscribe,
  }
}
