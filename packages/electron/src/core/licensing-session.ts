import type { LicensingPorts, LicensingRules } from './licensing-core.ts'
import type { DeviceIdentity } from './ports/device-port.ts'
import { describeProblem, type ProblemCause } from './problem.ts'
import { decide } from './record/decide.ts'
import { isFromAnotherDevice, settleIdentity } from './record/device-identity.ts'
import type { LicensingEvent } from './record/licensing-event.ts'
import type { LoadedVault } from './record/load-vault.ts'
import { createRecordFile, type RecordFile } from './record/record-file.ts'
import { isOfAnotherApp } from './record/sealed-document.ts'
import { withTrustedLease } from './record/stored-lease.ts'
import { emptyVault, markOf, type Vault, withMark } from './record/vault.ts'
import { type Entitlement, entitlementOf } from './state/entitlement.ts'
import { createJournal, type Journal } from './state/journal.ts'
import { createPublishedState, type PublishedState } from './state/published-state.ts'
import { createTrustedClock, type TrustedClock } from './time/trusted-clock.ts'

/** What the operations of one launch share. */
export interface LicensingSession {
  readonly ports: LicensingPorts
  readonly time: TrustedClock
  readonly file: RecordFile
  readonly published: PublishedState
  readonly journal: Journal
  /** Returns what this device remembers. */
  vault(): Vault
  entitlement(): Entitlement
  /** Returns this device's identity. The system is asked once per launch. */
  identity(): Promise<DeviceIdentity>
  /** Uses a record read from disk. Listeners are called at the next `publish`. */
  open(loaded: LoadedVault): void
  /** Whether a record was written on another device; `false` if this device is not identified yet. */
  isOfAnotherDevice(loaded: LoadedVault): boolean
  /** Replaces another device's record with this device's own, and keeps the old one under another name. */
  setAsideForeign(loaded: LoadedVault): void
  /** Applies an event and publishes the new state at once. Resolves when the record is on disk. */
  record(event: LicensingEvent): Promise<void>
  /** Does the same for an answer from the service, without overwriting what another process wrote in the meantime. */
  recordAnswer(event: LicensingEvent): Promise<void>
  /** Records that the service gave a definite answer, and its time if the answer had one. */
  noteServerTime(serverDateMs: number | null): void
  /** Records that the last attempt got no definite answer. The next definite answer clears this. */
  setUnreachable(): void
  /** Publishes a problem; `null` clears the current one. */
  setProblem(cause: ProblemCause | null): void
  /** Adds an operation's outcome to the journal and publishes its problem. */
  report(operation: string, cause: ProblemCause | null): void
  /** Stops publishing failures: requests are canceled because the app quits. */
  end(): void
}

/** Creates the session. Nothing has been read from disk yet. */
export function createLicensingSession(ports: LicensingPorts, rules: LicensingRules): LicensingSession {
  const { clock, device, secrets, leases, logger } = ports
  let vault = emptyVault
  let known: DeviceIdentity | null = null
  let itself: DeviceIdentity | null = null
  let identifying: Promise<DeviceIdentity> | null = null
  let isUnreachable = false
  let hasEnded = false

  const time = createTrustedClock(clock, markOf(vault, clock.monotonic()))
  const journal = createJournal(clock, logger)
  const file = createRecordFile(ports, takeContent, () => published.publish())
  const published = createPublishedState(
    () => ({
      vault,
      entitlement: entitlement(),
      device: known === null ? null : { label: known.label, fingerprint: known.fingerprint },
      storage: file.tier,
      storageProblem: file.problem,
    }),
    logger,
  )

  /** Returns the vault with the latest mark, as it is written to disk. */
  function takeContent(): { readonly vault: Vault; readonly device: DeviceIdentity | null } {
    vault = withMark(vault, time.mark())
    return { vault, device: known }
  }

  function entitlement(): Entitlement {
    return entitlementOf(vault, time.nowMs(), isUnreachable, {
      ...rules,
      requiresLease: leases !== undefined,
    })
  }

  function apply(event: LicensingEvent): void {
    vault = decide(vault, event, time.nowMs())
    published.publish()
  }

  function record(event: LicensingEvent): Promise<void> {
    apply(event)
    return file.save()
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
      const isStranger = isFromAnotherDevice(known, vault.activation, found)
      known = isStranger ? found : settleIdentity(known, found)
      itself = found
      if (isStranger) {
        // This is another device's record. Keep it in case the folder is moved back.
        file.setAsideNext()
        void record({ type: 'found-on-another-device' })
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
    file,
    published,
    journal,
    vault: () => vault,
    entitlement,
    identity,
    open(loaded) {
      published.startOver()
      vault = leases === undefined ? loaded.vault : withTrustedLease(loaded.vault, leases)
      known ??= loaded.device
      file.opened(loaded)
      if (loaded.problem !== null && isOfAnotherApp(loaded.newest, secrets)) {
        logger.error(
          'The license record was written under another appId, so this device must activate again and takes another seat. An appId must never change: restore the previous one.',
        )
      }
      published.setLoadProblem(
        loaded.problem === null ? null : describeProblem({ code: loaded.problem }, clock.now()),
      )
      time.resume(markOf(vault, clock.monotonic()))
    },
    isOfAnotherDevice: (loaded) =>
      itself !== null && isFromAnotherDevice(loaded.device, loaded.vault.activation, itself),
    setAsideForeign(loaded) {
      file.setAsideForeign(loaded)
      const cause: ProblemCause = { code: 'record-of-another-device' }
      journal.note('read the record', cause)
      // If this device is activated anyway, the user doesn't need to do anything.
      if (vault.activation === null) setProblem(cause)
      void file.save()
    },
    record,
    recordAnswer(event) {
      apply(event)
      return file.saveUnlessForeign()
    },
    noteServerTime(serverDateMs) {
      isUnreachable = false
      if (serverDateMs === null) return
      const movedMs = time.anchor(serverDateMs)
      vault = decide(vault, { type: 'time-stated', movedMs }, serverDateMs)
    },
    setUnreachable() {
      isUnreachable = !hasEnded
    },
    setProblem,
    report,
    end() {
      hasEnded = true
    },
  }
}
