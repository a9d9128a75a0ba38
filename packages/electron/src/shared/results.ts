import type { LicensingState } from './licensing-state.ts'
import type { OfflineProblem } from './offline-problem.ts'
import type { Problem } from './problem.ts'

/** Outcome of `activate`. It is returned, never thrown. */
export type ActivationResult =
  | { readonly ok: true; readonly state: LicensingState }
  | { readonly ok: false; readonly problem: Problem; readonly state: LicensingState }

/** Outcome of `createOfflineRequest`. It is returned, never thrown. */
export type OfflineRequestResult =
  | {
      readonly ok: true
      /**
       * The request as text, for a file or to copy. It contains the license key and the device's name, so show it only
       * to the user.
       */
      readonly text: string
      /** The address of the activation page with the request, for a QR code. */
      readonly link: string
    }
  | { readonly ok: false; readonly problem: Problem }

/** Outcome of `activateOffline`. It is returned, never thrown. */
export type OfflineActivationResult =
  | { readonly ok: true; readonly state: LicensingState }
  | { readonly ok: false; readonly problem: OfflineProblem; readonly state: LicensingState }

/**
 * What became of a deactivated device's seat.
 *
 * - `freed`: it is free now.
 * - `freed-later`: it will be freed later, usually once the service can be reached.
 * - `not-freed`: it belongs to a licensing service that this app no longer uses, so no request was sent to free it. Or an
 *   activation was never answered, and the service lists no devices that would show its seat. Then the state has the problem
 *   `seat-may-be-taken`.
 */
export type FreedSeat = 'freed' | 'freed-later' | 'not-freed'

/** Outcome of `deactivate`. If `ok` is true, this device is deactivated, even if its seat isn't free yet. */
export type DeactivationResult =
  | { readonly ok: true; readonly seat: FreedSeat; readonly state: LicensingState }
  | { readonly ok: false; readonly problem: Problem; readonly state: LicensingState }

/** Outcome of `openLink`. It is returned, never thrown. If the system opened nothing, show the address to the user. */
export type LinkResult = { readonly ok: true } | { readonly ok: false; readonly address: string }

/** One activation of the license: a device that occupies a seat. */
export interface Device {
  /**
   * Identifies the device for `releaseDevice`. In the main process it is the id of its key. In a window it is an opaque
   * handle.
   */
  readonly id: string
  /** Readable name, without the fingerprint. */
  readonly label: string
  /** When it was activated, ISO 8601 UTC; `null` if the service didn't say. */
  readonly activatedAt: string | null
  /** Whether this is the current device. */
  readonly isThisDevice: boolean
}

/** Outcome of `devices`. It is returned, never thrown. */
export type DevicesResult =
  | { readonly ok: true; readonly devices: readonly Device[] }
  | { readonly ok: false; readonly problem: Problem }

/** Outcome of `releaseDevice`. A device that was already gone counts as released. */
export type ReleaseResult = { readonly ok: true } | { readonly ok: false; readonly problem: Problem }
