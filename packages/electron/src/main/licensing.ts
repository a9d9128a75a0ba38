import { toDate } from '@latchkey/commerce'
import type { LicensingListener } from '../core/state.ts'
import type { Feature, LicensingState } from '../shared/licensing-state.ts'
import type {
  ActivationResult,
  DeactivationResult,
  DevicesResult,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from '../shared/results.ts'
import type { ActivationWindowOptions } from './options/licensing-options.ts'
import type { GateOptions } from './window/gate.ts'

/**
 * The licensing of this app. No call throws or rejects because of a user or a network: problems are in the result or in
 * `state.problem`. `gate` and every method that returns a promise, except `dispose`, start licensing if you haven't
 * called `start` yet. `state`, `subscribe`, `has`, `covers` and `lease` only know the current state.
 */
export interface Licensing {
  /** The current state. Its status is `unlicensed` until `start` has resolved. */
  readonly state: LicensingState
  /**
   * Waits until Electron is ready and decides from disk, without waiting for the network. The check with the service
   * runs in the background, once the app's first window is painted, or after two seconds if there is none.
   * Resolves with the state. Calling it again has no further effect.
   */
  start(): Promise<LicensingState>
  /**
   * Calls the listener after every change, with the new and the previous state. @returns a function that removes it.
   */
  subscribe(listener: LicensingListener): () => void
  /**
   * Whether this device may use a feature: it is entitled by a license that includes it. A trial includes none, so
   * check for `state.status === 'trial'` yourself if yours does.
   */
  has(feature: Feature): boolean
  /**
   * Whether this device could use a build that was released then. Ask before your updater downloads one, once `start`
   * has resolved. Always true without `expiry: 'updates'`, without a license, and for a license without end. False while
   * the license isn't known, because the keychain hasn't opened its record yet: ask again at the next check for updates.
   *
   * @param releasedAt ISO 8601, UTC unless it has an offset, or a `Date`. If it can't be read, the build counts as
   * released now.
   */
  covers(releasedAt: string | Date | null | undefined): boolean
  /**
   * Returns the gateway's signed lease for this device, for a server of yours that serves licensed users only. It
   * proves the license until it ends, so send it over https: and to your own servers only. `null` without `leaseKeys`
   * or without a license.
   */
  lease(): string | null
  /**
   * Activates this device. If another license was activated here, its seat is freed once the new one is activated.
   * @param licenseKeyText the text the user pasted, up to 10,000 characters. Latchkey finds the license key in it. A
   * longer text is `text-too-long`.
   */
  activate(licenseKeyText: string): Promise<ActivationResult>
  /**
   * Activates the license that was activated here before, without entering its key again. Use it if this device's seat
   * was freed from another device (`revoked`). It also tries again an activation that is unfinished, or that failed since
   * the app started. Fails with `not-activated` if there is none.
   */
  reactivate(): Promise<ActivationResult>
  /**
   * Creates a request to activate this computer without internet, by file, text or QR code. Needs `offlineActivation`.
   * The same license gets the same request until an answer is used.
   * @param licenseKeyText the text the user pasted. Latchkey finds the license key in it.
   */
  createOfflineRequest(licenseKeyText: string): Promise<OfflineRequestResult>
  /**
   * Activates this device with the answer to its request. Each answer works once, on this device. If the answer can't
   * be used, nothing is stored.
   * @param text the pasted answer, or the content of its file.
   */
  activateOffline(text: string): Promise<OfflineActivationResult>
  /** Checks with the service now. Resolves with the state after the answer or the failed request. */
  validate(): Promise<LicensingState>
  /**
   * Drops an activation that still waits for the service, so that it isn't retried. If it may have taken a seat, that
   * seat is freed, later if the service is unreachable. If the service lists no devices to apps, the state has the
   * problem `seat-may-be-taken` instead. A license that is in use stays. Resolves with the state.
   */
  cancelActivation(): Promise<LicensingState>
  /**
   * Deactivates this device and frees its seat. If the service is unreachable, the seat is freed later. If this device
   * was activated without internet, `state.releaseCode` then frees it from another device.
   */
  deactivate(): Promise<DeactivationResult>
  /**
   * Lists the devices of the license, or of the last license that had no free seat. Fails with `devices-not-listed` if
   * the licensing service doesn't list devices to apps.
   */
  devices(): Promise<DevicesResult>
  /**
   * Frees the seat of a device. If the service lists its devices, one that the license doesn't have counts as released.
   * @param deviceId its `id` from the result of `devices`.
   */
  releaseDevice(deviceId: string): Promise<ReleaseResult>
  /**
   * Runs a command of an administrator: `--activate <key>`, `--activate=<key>`, `--activate -` (reads the key from
   * standard input), `--deactivate`, or `--license-status [--json]`. It prints to the console and opens no window, also
   * beside a running app. Call it before you ask for the single-instance lock and before `gate`, and exit with the code.
   *
   * @param argv `process.argv`. A license key in it is replaced, so that the app can't pass it on.
   * @returns the exit code: 0 done, 1 the answer is no, 2 wrong arguments, 3 the service can't be reached, 4 it didn't
   * accept the request, 5 unknown license key, 6 anything else. `null` if there is no such command.
   * @example
   * const code = await licensing.runCommand(process.argv)
   * if (code !== null) return app.exit(code)
   */
  runCommand(argv: string[]): Promise<number | null>
  /**
   * Shows the activation window, or focuses the existing one. Resolves when it is visible.
   * @param options for this window, in addition to `window` in the options of `createLicensing`. An open window only
   * applies them if they contain a `prefilledText`.
   * @throws {LicensingOptionsError} if an option is unusable.
   */
  openActivationWindow(options?: ActivationWindowOptions): Promise<void>
  /** Closes the activation window, if there is one. */
  closeActivationWindow(): void
  /**
   * Opens the app once this device is entitled, and shows the activation window until then. Call it everywhere you
   * would open a window.
   *
   * @returns a function that removes the gate.
   * @throws TypeError if `whenEntitled` is missing, if an option isn't a function, or if an option is unknown.
   * @example
   * licensing.gate({ whenEntitled: () => createMainWindow() })
   */
  gate(options: GateOptions): () => void
  /** Creates a plain-text report that a user can paste into a support email. Every secret in it is masked. */
  diagnose(): Promise<string>
  /**
   * Stops checks, cancels pending requests, removes the IPC handlers and closes the activation window. Resolves when
   * pending writes are on disk. Afterward, methods that return a promise reject, and you can call `createLicensing`
   * again.
   */
  dispose(): Promise<void>
}

/**
 * The key of a `Licensing` that `createLicensing` created: whether it has leases to send. `guardUpdates` is in a bundle of
 * its own, so it is in the global registry.
 */
export const hasLeaseKeys: unique symbol = Symbol.for('latchkey.has-lease-keys')

/** A `Licensing` that `createLicensing` created. A fake has no such key. */
export interface HasLeaseKeys {
  readonly [hasLeaseKeys]?: boolean
}

/**
 * Reads when a build was released. Text without an offset is UTC, whatever this computer's time zone.
 *
 * @returns milliseconds since the epoch; `null` if it can't be read.
 */
export function readReleaseDate(releasedAt: unknown): number | null {
  const date = typeof releasedAt === 'string' ? toDate(releasedAt) : releasedAt
  const ms = date instanceof Date ? date.getTime() : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
