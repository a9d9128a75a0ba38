import type { LicensingPorts, LicensingRules } from './licensing-core.ts'
import type { DeviceIdentity } from './ports/device-port.ts'
import type { LockOutcome } from './ports/lock-port.ts'
import { describeProblem, type ProblemCause } from './problem.ts'
import { isFromAnotherDevice, settleIdentity } from './record/device-identity.ts'
import type { LicensingEvent } from './record/licensing-event.ts'
import type { LoadedVault } from './record/load-vault.ts'
import { isOfAnotherApp } from './record/sealed-document.ts'
import { createRecordFile } from './record/transaction/record-file.ts'
import { createSharedRecord } from './record/transaction/shared-record.ts'
import { emptyVault, isWorthKeeping, markOf, type Vault } from './record/vault.ts'
import { type CoverageFacts, coversBuild } from './state/coverage.ts'
import { type Entitlement, entitlementOf } from './state/entitlement.ts'
import { createFeaturesOf } from './state/features-of.ts'
import { createJournal, type Journal } from './state/journal.ts'
import { createPublishedState, type PublishedState } from './state/published-state.ts'
import { createTrustedClock, type TrustedClock } from './time/trusted-clock.ts'

/** What the operations of one launch share. */
export interface LicensingSession {
  readonly ports: LicensingPorts
  readonly time: TrustedClock
  readonly published: PublishedState
  readonly journal: Journal
  /** Returns what this device remembers. */
  vault(): Vault
  entitlement(): Entitlement
  /** Whether a license that has ended still entitles this build. */
  isCovered(facts: CoverageFacts): boolean
  /** See `LicensingCore`. */
  covers(releasedAtMs: number | null): boolean
  /** Returns this device's identity. The system is asked once per launch. */
  identity(): Promise<DeviceIdentity>
  /** Reads the record at launch. Listeners are called at the next `publish`. */
  open(): Promise<LoadedVault>
  /** Reads the record again if another process wrote it or if it couldn't be opened, and publishes the new state. */
  refresh(): Promise<void>
  /** Whether the file has a record that can't be opened now, but perhaps later. Background work leaves it alone. */
  isSealedAway(): boolean
  /**
   * Applies an event and publishes the new state at once. Resolves when the record is on disk. A record that can't be
   * opened is replaced, and kept under another name.
   */
  record(event: LicensingEvent): Promise<void>
  /** Does the same for an answer from the service, but leaves a record that can't be opened alone. */
  recordAnswer(event: LicensingEvent): Promise<void>
  /** Why such an event isn't on disk; `null` if it is. */
  whyUnsaved(type: LicensingEvent['type']): ProblemCause | null
  /** Writes the time to the record. Does nothing if there is no record. */
  saveTime(): Promise<void>
  /** Records that the service gave a definite answer, and its time if the answer had one. */
  noteServerTime(serverDateMs: number | null): void
  /** Adopts the time that the service stated with an answer that may not be definite. */
  stateTime(serverDateMs: number): void
  /** Records that the last attempt got no definite answer. The next definite answer clears this. */
  setUnreachable(): void
  /** Publishes a problem; `null` clears the current one. */
  setProblem(cause: ProblemCause | null): void
  /** Adds it to the journal if a lock couldn't be acquired. */
  noteLock(kind: LockOutcome['kind']): void
  /** Adds an operation's outcome to the journal and publishes its problem. */
  report(operation: string, cause: ProblemCause | null): void
  /** Writes what isn't on disk yet synchronously, because the process is about to exit. */
  finish(): void
  /** Stops publishing failures: requests are canceled because the app quits. */
  end(): void
}

const unexpected: ProblemCause = { code: 'unexpected' }

/** Creates the session. Nothing has been read from disk yet. */
export function createLicensingSession(ports: LicensingPorts, rules: LicensingRules): LicensingSession {
  const { clock, commerce, device, secrets, leases, logger } = ports
  let known: DeviceIdentity | null = null
  let itself: DeviceIdentity | null = null
  let identifying: Promise<DeviceIdentity> | null = null
  let isUnreachable = false
  let isUnlocked = false
  let isFromNewerVersion = false
  let hasWarned = false
  let hasEnded = false

  const time = createTrustedClock(clock, markOf(emptyVault, clock.monotonic()))
  const journal = createJournal(clock, logger)
  const file = createRecordFile(ports)
  const shared = createSharedRecord({
    ports,
    time,
    file,
    device: () => known,
    isOfAnotherDevice: ({ device: writer, vault }) =>
      itself !== null && isFromAnotherDevice(writer, vault.activation, itself),
    onOpened: showOpened,
    onForeign: noteForeign,
    onSettled: () => published.publish(),
    onLock: noteLock,
  })
  const published = createPublishedState(
    () => ({
      vault: shared.vault(),
      entitlement: entitlement(),
      device: known === null ? null : { label: known.label, fingerprint: known.fingerprint },
      storage: file.tier,
      storageProblem: file.problem,
      isSignOutUnsaved: shared.isUnwritten('deactivated'),
      isActivationUnsaved: shared.isUnwritten('activated'),
    }),
    createFeaturesOf(rules.features, logger),
    logger,
    ports.describeChange,
  )

  function entitlement(): Entitlement {
    return entitlementOf(shared.vault(), time.nowMs(), isUnreachable, {
      ...rules,
      requiresLease: leases !== undefined,
      requiresOwnLease: commerce.name === undefined,
    })
  }

  /** Nothing else shows why no update is offered. */
  function warnOfClosedRecord(): void {
    if (hasWarned) return
    hasWarned = true
    logger.warn(
      'No update is offered, because the license record has not been opened yet. If it stays closed, activate this device again.',
    )
  }

  function showOpened(loaded: LoadedVault): void {
    published.startOver()
    known ??= loaded.device
    isFromNewerVersion = loaded.problem === 'store-newer-version'
    if (loaded.problem !== null && isOfAnotherApp(loaded.newest, secrets)) {
      logger.error(
        'The license record was written under another appId, so this device must activate again and takes another seat. An appId must never change: restore the previous one.',
      )
    }
    published.setLoadProblem(
      loaded.problem === null ? null : describeProblem({ code: loaded.problem }, clock.now()),
    )
  }

  /** Writes this device's own record beside the other one, which is kept under another name. */
  function noteForeign(): void {
    const cause: ProblemCause = { code: 'record-of-another-device' }
    journal.note('read the record', cause)
    // If this device is activated anyway, the user doesn't need to do anything.
    if (shared.vault().activation === null) setProblem(cause)
    void shared.commit('time')
  }

  function noteLock(kind: LockOutcome['kind']): void {
    if (kind === 'ended') return
    const wasUnlocked = isUnlocked
    isUnlocked = kind !== 'held'
    if (kind === 'held' || wasUnlocked) return
    journal.note('lock the record', { code: kind === 'busy' ? 'busy' : 'store-not-writable' })
  }

  function record(event: LicensingEvent): Promise<void> {
    shared.apply(event)
    published.publish()
    return shared.commit('operation')
  }

  function setProblem(cause: ProblemCause | null): void {
    if (hasEnded && cause !== null) return
    published.setProblem(cause === null ? null : describeProblem(cause, clock.now()))
  }

  function report(operation: string, cause: ProblemCause | null): void {
    journal.note(operation, cause)
    setProblem(cause)
  }

  async function identity(): Promise<DeviceIdentity> {
    identifying ??= device.identify(known?.randomId ?? null).then((found) => {
      const isStranger = isFromAnotherDevice(known, shared.vault().activation, found)
      known = isStranger ? found : settleIdentity(known, found)
      itself = found
      if (isStranger) {
        // This is another device's record. Keep it in case the folder is moved back.
        shared.discard()
        published.publish()
        void shared.commit('time')
        report('identify this device', { code: 'record-of-another-device' })
      }
      published.publish()
      return known
    })
    return identifying
  }

  return {
    ports,
    time,
    published,
    journal,
    vault: shared.vault,
    entitlement,
    isCovered: (facts) => coversBuild(facts, rules.releasedAtMs),
    covers(releasedAtMs) {
      const { activation, unopened } = shared.vault()
      if (rules.releasedAtMs === undefined) return true
      if (activation === null) {
        const isAwaitingRecord = file.isSealedAway || unopened?.isSignedOut === false
        // An update opens the record of a newer version.
        if (!isAwaitingRecord || isFromNewerVersion) return true
        warnOfClosedRecord()
        return false
      }
      const current = entitlement()
      // The service has called the license valid after its end, and the service's answer counts.
      if ('isEndInDoubt' in current && current.isEndInDoubt) return true
      return coversBuild(activation, releasedAtMs ?? time.nowMs())
    },
    identity,
    open: shared.open,
    refresh: shared.refresh,
    isSealedAway: () => file.isSealedAway,
    record,
    recordAnswer(event) {
      shared.apply(event)
      published.publish()
      return shared.commit('answer')
    },
    whyUnsaved: (type) => (shared.isUnwritten(type) ? { ...unexpected, ...file.problem } : null),
    async saveTime() {
      if (isWorthKeeping(shared.vault())) await shared.commit('time')
    },
    noteServerTime(serverDateMs) {
      isUnreachable = false
      if (serverDateMs !== null) shared.stateTime(serverDateMs)
    },
    stateTime: shared.stateTime,
    setUnreachable() {
      isUnreachable = !hasEnded
    },
    setProblem,
    noteLock,
    report,
    finish: shared.finish,
    end() {
      hasEnded = true
    },
  }
}
