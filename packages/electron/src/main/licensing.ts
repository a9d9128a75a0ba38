import type { LicensingListener } from '../core/licensing-core.ts'
import type { LicensingState } from '../shared/licensing-state.ts'
import type { ActivationResult, DeactivationResult, DevicesResult, ReleaseResult } from '../shared/results.ts'
import type { ActivationWindowOptions } from './options/licensing-options.ts'
import type { GateOptions } from './window/gate.ts'

/**
 * Licensing of this app. No call throws or rejects for what a user or a network can cause: trouble comes back in the
 * result or in `state.problem`. Every verb starts licensing by itself when `start` was not called yet.
 */
export interface Licensing {
  /** The state now. Before `start` has settled it says `unlicensed`. */
  readonly state: LicensingState
  /**
   * Waits for Electron to be ready and decides from disk, without waiting for the network; the check with the service
   * follows in the background, when the app's first window has been painted or two seconds later when there is none.
   * Resolves with the state; calling it again starts nothing twice.
   */
  start(): Promise<LicensingState>
  /** Calls back after every change with the new and the previous state. @returns a function that stops it. */
  subscribe(listener: LicensingListener): () => void
  /**
   * Activates this device.
   * @param licenseKeyText whatever the user pasted; the license key in it is found.
   */
  activate(licenseKeyText: string): Promise<ActivationResult>
  /**
   * Activates the license that was activated here before, without its key being typed again: the way back for a device
   * whose seat was freed from another one (`revoked`). Fails with `not-activated` where there is none.
   */
  reactivate(): Promise<ActivationResult>
  /** Asks the service now. Resolves with the state after its answer, or after the failure to get one. */
  validate(): Promise<LicensingState>
  /** Signs this device out and frees its seat, later if the service cannot be reached now. */
  deactivate(): Promise<DeactivationResult>
  /** The devices of the license, or of the one last refused for want of a seat. */
  devices(): Promise<DevicesResult>
  /** Frees the seat of a device. @param deviceId its `id` in the answer of `devices`. */
  releaseDevice(deviceId: string): Promise<ReleaseResult>
  /**
   * Shows the activation window, or brings the one there is to the front. Resolves when it can be seen.
   * @param options for this window, on top of `window` in the options of `createLicensing`. A window that is open
   * already takes them over only when they bring a `prefilledText`.
   * @throws {LicensingOptionsError} when an option is not usable.
   */
  openActivationWindow(options?: ActivationWindowOptions): Promise<void>
  /** Closes the activation window, if there is one. */
  closeActivationWindow(): void
  /**
   * Lets the app in once this device is entitled, and shows the activation window until then.
   *
   * @returns takes the gate away.
   * @example
   * licensing.gate({ whenEntitled: () => createMainWindow() })
   */
  gate(options: GateOptions): () => void
  /** A plain-text report a user can paste into a support mail; every secret in it is masked. */
  diagnose(): Promise<string>
  /**
   * Stops checks, gives up requests under way, takes the IPC handlers away and closes the activation window. Resolves when
   * what was being written is on disk.
   */
  dispose(): Promise<void>
}
