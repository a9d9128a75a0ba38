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
  /** What this device remembers. */
  vault(): Vault
  entitlement(): Entitlement
  /** Who this device is; asked of the system once per launch. */
  identity(): Promise<DeviceIdentity>
  /** Takes over what was found on disk. Listeners are called at the next `publish`. */
  open(loaded: LoadedVault): void
  /** Whether what was found on disk was written on another device, as far as this one is identified. */
  isOfAnotherDevice(loaded: LoadedVault): boolean
  /** Replaces another device's record by this one's, and keeps it under another name. */
  setAsideForeign(loaded: LoadedVault): void
  /** Decides an event and publishes the new state at once. Resolves when it is on disk. */
  record(event: LicensingEvent): Promise<void>
  /** The same for the service's answer, which does not replace what another process wrote meanwhile. */
  recordAnswer(event: LicensingEvent): Promise<void>
  /** The service gave a definite answer, with its time if it stated one. */
  noteServerTime(serverDateMs: number | null): void
  /** The last attempt brought no definite answer. The next definite answer ends that. */
  setUnreachable(): void
  /** Publishes a problem; `null` ends the one there was. */
  setProblem(cause: ProblemCause | null): void
  /** Notes how an operation ended in the journal, and publishes its problem. */
  report(operation: string, cause: ProblemCause | null): void
  /** From now on failures are not published: requests are given up because the app ends. */
  end(): void
}

/** Makes the session, with nothing read from disk yet. */
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

  /** The vault with the latest mark, as it is written. */
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
        // It is another device's record: it is kept, in case the folder is moved back.
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
          'The license record was written under another appId, so this device has to activate again and takes another seat. An appId must never change: set it back.',
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
      // A device that is activated itself needs nothing from its user.
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
