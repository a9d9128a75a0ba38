import type { LicensingState } from './licensing-state.ts'
import type { Problem } from './problem.ts'

/** Outcome of `activate`. It is returned, never thrown. */
export type ActivationResult =
  | { readonly ok: true; readonly state: LicensingState }
  | { readonly ok: false; readonly problem: Problem; readonly state: LicensingState }

/**
 * Outcome of `deactivate`. `seat` says whether the seat is free already (`freed`) or will be as soon as the
 * service can be reached (`freed-later`); in both cases this device is signed out.
 */
export type DeactivationResult =
  | { readonly ok: true; readonly seat: 'freed' | 'freed-later'; readonly state: LicensingState }
  | { readonly ok: false; readonly problem: Problem; readonly state: LicensingState }

/** One activation of the license: a device that occupies a seat. */
export interface Device {
  /**
   * Names the device to `releaseDevice`. In the main process it is the id of its key; a window gets an
   * opaque handle instead.
   */
  readonly id: string
  /** Readable name, without the fingerprint. */
  readonly label: string
  /** When it was activated, ISO 8601 UTC; `null` when the service did not say. */
  readonly activatedAt: string | null
  /** Whether it is this very device. */
  readonly isThisDevice: boolean
}

/** Outcome of `devices`. */
export type DevicesResult =
  | { readonly ok: true; readonly devices: readonly Device[] }
  | { readonly ok: false; readonly problem: Problem }

/** Outcome of `releaseDevice`. A device that was gone already counts as released. */
export type ReleaseResult = { readonly ok: true } | { readonly ok: false; readonly problem: Problem }
