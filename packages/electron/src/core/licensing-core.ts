import type { LicensingState } from '../shared/licensing-state.ts'
import type {
  ActivationResult,
  DeactivationResult,
  DevicesResult,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from '../shared/results.ts'
import type { LicensingSession } from './licensing-session.ts'
import type { ClockPort } from './ports/clock-port.ts'
import type { DevicePort } from './ports/device-port.ts'
import type { LeasePort } from './ports/lease-port.ts'
import type { LockPort } from './ports/lock-port.ts'
import type { Logger } from './ports/logger-port.ts'
import type { OfflinePort } from './ports/offline-port.ts'
import type { SecretsPort } from './ports/secrets-port.ts'
import type { ServicePort } from './ports/service-port.ts'
import type { StorePort } from './ports/store-port.ts'
import type { DescribeChange } from './state/describe-change.ts'

/** What the decisions need from outside. */
export interface LicensingPorts {
  /** The licensing service: the commerce service, a gateway, or another service behind an adapter. */
  readonly commerce: ServicePort
  readonly store: StorePort
  /** Held while an operation takes or frees a seat. Set when other processes of this app may use the same record. */
  readonly lock?: LockPort | undefined
  /** Held while the record is read, changed and written: for a few seconds at most. Set together with `lock`. */
  readonly recordLock?: LockPort | undefined
  readonly device: DevicePort
  readonly clock: ClockPort
  readonly secrets: SecretsPort
  /** Set when the gateway signs its answers. Then the app is only entitled with a lease. */
  readonly leases?: LeasePort | undefined
  /** Loads what activates without internet. Set if the app has an address for it, and `leases`. */
  readonly offline?: (() => Promise<OfflinePort>) | undefined
  readonly logger: Logger
  /** Describes a change for the log; only an app that logs needs it. @default changes aren't logged */
  readonly describeChange?: DescribeChange | undefined
  /**
   * Resolves when the app has painted its first window, so that the check at launch doesn't slow down its start.
   * @default resolves at once
   */
  readonly whenPainted?: (() => Promise<void>) | undefined
}

/** Rules that a developer can set. */
export interface LicensingRules {
  /** How long an unreachable service keeps a validated device entitled, in milliseconds. */
  readonly graceMs: number
  /**
   * How long a license stays valid past its end while a renewal can't be checked, in milliseconds; at most `graceMs`.
   * For as long, a license that the service reports as expired is checked more often.
   */
  readonly renewalGraceMs: number
  /** How long before the end of a license `endsSoon` becomes true, in milliseconds. @default 0 */
  readonly renewalNoticeMs?: number | undefined
  /** How long a trial lasts, in milliseconds; 0 for none. */
  readonly trialMs: number
  /**
   * When this build was released, in milliseconds since the epoch, if a license that has ended still entitles the builds
   * that it covers. @default a license that has ended entitles nothing
   */
  readonly releasedAtMs?: number | undefined
  /** How often a running app checks on its own, in milliseconds. */
  readonly recheckMs: number
  /** Returns what a license includes. @default the features that the service reports */
  readonly features?: ((license: LicenseTerms) => readonly string[]) | undefined
}

/** What the service said about a license. */
export interface LicenseTerms {
  /** `null` if the service reports none. */
  readonly plan: string | null
  /** Empty if the service reports none. */
  readonly features: readonly string[]
  /** How many devices may be active at once; `null` if the service didn't say. */
  readonly activationLimit: number | null
  /** When the license ends, as the service sent it; `null` if it has no end. */
  readonly expiresAt: string | null
}

/** What triggered a check that the user didn't ask for: `end` is that of a license, lease or grace. */
export type CheckTrigger = 'launch' | 'timer' | 'end' | 'resume' | 'online'

/** Called after every change. */
export type LicensingListener = (state: LicensingState, previous: LicensingState) => void

/** The state machine. It makes all decisions and does its I/O through ports. */
export interface LicensingCore {
  readonly state: LicensingState
  start(): Promise<LicensingState>
  subscribe(listener: LicensingListener): () => void
  activate(licenseKeyText: string): Promise<ActivationResult>
  /** Activates the license on record again. Use it when this device was released from another one. */
  reactivate(): Promise<ActivationResult>
  createOfflineRequest(licenseKeyText: string): Promise<OfflineRequestResult>
  activateOffline(text: string): Promise<OfflineActivationResult>
  validate(): Promise<LicensingState>
  /** Drops the pending activation. A license in use stays. */
  cancelActivation(): Promise<LicensingState>
  deactivate(): Promise<DeactivationResult>
  devices(): Promise<DevicesResult>
  /**
   * Whether a build could be used with the license on record: none while a record waits to be opened.
   * @param releasedAtMs `null` if it isn't known: as of now.
   */
  covers(releasedAtMs: number | null): boolean
  /** The gateway's signed lease for this device; `null` if there is none. */
  lease(): string | null
  releaseDevice(keyId: string): Promise<ReleaseResult>
  /** Requests an automatic check: at most one per five minutes, except at launch and at an end. */
  check(trigger: CheckTrigger): void
  /** Returns lines for the support report, which `describeSession` writes. It isn't needed at launch. */
  diagnose(describe: (session: LicensingSession) => readonly string[]): readonly string[]
  /**
   * Stops timers, cancels pending requests and saves the high-water mark. Later calls return the last state.
   */
  dispose(): Promise<void>
  /** Writes what isn't on disk yet synchronously, because the process is about to exit. Never throws. */
  finish(): void
}
