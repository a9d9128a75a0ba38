import type { LicensingState } from '../shared/licensing-state.ts'
import type { ActivationResult, DeactivationResult, DevicesResult, ReleaseResult } from '../shared/results.ts'
import type { ClockPort } from './ports/clock-port.ts'
import type { DevicePort } from './ports/device-port.ts'
import type { LeasePort } from './ports/lease-port.ts'
import type { LockPort } from './ports/lock-port.ts'
import type { Logger } from './ports/logger-port.ts'
import type { SecretsPort } from './ports/secrets-port.ts'
import type { ServicePort } from './ports/service-port.ts'
import type { StorePort } from './ports/store-port.ts'

/** What the decisions need from the world. */
export interface LicensingPorts {
  /** The licensing service: the commerce service or a gateway, or one behind an adapter. */
  readonly commerce: ServicePort
  readonly store: StorePort
  /** Set where other processes of this app may use the same record. */
  readonly lock?: LockPort | undefined
  readonly device: DevicePort
  readonly clock: ClockPort
  readonly secrets: SecretsPort
  /** Set where the gateway signs its answers: then nothing entitles without a lease. */
  readonly leases?: LeasePort | undefined
  readonly logger: Logger
  /**
   * Resolves when the app has shown itself, so that the check at launch does not compete with its start.
   * @default at once
   */
  readonly whenPainted?: (() => Promise<void>) | undefined
}

/** Rules a developer may set. */
export interface LicensingRules {
  /** How long an unreachable service keeps a validated device entitled, in milliseconds. */
  readonly graceMs: number
  /** How long a license is good past its end while a renewal cannot be asked about, in milliseconds; at most `graceMs`. */
  readonly renewalGraceMs: number
  /** How long a trial lasts, in milliseconds; 0 for none. */
  readonly trialMs: number
  /** How often a running app checks by itself, in milliseconds. */
  readonly recheckMs: number
}

/** Why a check was asked for by something other than a person. */
export type CheckTrigger = 'launch' | 'timer' | 'resume' | 'online'

/** Called after every change. */
export type LicensingListener = (state: LicensingState, previous: LicensingState) => void

/** The state machine over ports: everything Latchkey decides, nothing it touches. */
export interface LicensingCore {
  readonly state: LicensingState
  start(): Promise<LicensingState>
  subscribe(listener: LicensingListener): () => void
  activate(licenseKeyText: string): Promise<ActivationResult>
  /** Activates the license on record once more: of use when this device's key was freed from another one. */
  reactivate(): Promise<ActivationResult>
  validate(): Promise<LicensingState>
  deactivate(): Promise<DeactivationResult>
  devices(): Promise<DevicesResult>
  releaseDevice(keyId: string): Promise<ReleaseResult>
  /** Asks for a check by itself: at most one per five minutes, the one at launch aside. */
  check(trigger: CheckTrigger): void
  /** Lines for the support report: entitlement, device, clock, last outcomes; every secret masked. */
  diagnose(): readonly string[]
  /**
   * Stops timers, gives up requests under way and saves the high-water mark. Further calls answer with the last state.
   */
  dispose(): Promise<void>
}
