import type { ActivationLink, ActivationScreen } from './activation-screen.ts'
import type { LicensingState } from './licensing-state.ts'
import type { ActivationResult, DeactivationResult, DevicesResult, ReleaseResult } from './results.ts'

/**
 * What the preload puts on `window.latchkey`: one function per verb, plain data in and out.
 * A window whose sender check fails gets a rejected promise from every one of them.
 */
export interface LicensingBridge {
  /** Version of the IPC contract the preload speaks. */
  readonly contractVersion: number
  getState(): Promise<LicensingState>
  /** @param licenseKeyText whatever was pasted; up to 10,000 characters are looked at. */
  activate(licenseKeyText: string): Promise<ActivationResult>
  /** Activates the license of the record again; its key never enters the window. */
  reactivate(): Promise<ActivationResult>
  validate(): Promise<LicensingState>
  deactivate(): Promise<DeactivationResult>
  /** The devices of the license; `id` is an opaque handle here, never the id of a key. */
  devices(): Promise<DevicesResult>
  /** @param deviceId a handle from the last answer of `devices`. */
  releaseDevice(deviceId: string): Promise<ReleaseResult>
  openActivationWindow(): Promise<void>
  /** Closes the activation window, if there is one. */
  closeActivationWindow(): Promise<void>
  /** What the activation screen shall look like and say. */
  screen(): Promise<ActivationScreen>
  /** Opens one of the configured links in the system browser. */
  openLink(link: ActivationLink): Promise<void>
  /** The license key on the clipboard, masked, to be offered; `null` when there is none. */
  clipboardKey(): Promise<{ readonly maskedKey: string } | null>
  /**
   * Activates the license key that `clipboardKey` offered this window under this mask, also when the clipboard holds
   * something else by now; the key itself never enters the window. Without such an offer: `no-license-key`.
   */
  activateFromClipboard(maskedKey: string): Promise<ActivationResult>
  /** Puts the masked report of `diagnose()` on the clipboard. */
  copyDiagnosis(): Promise<void>
  /** Calls the listener with every new state. @returns a function that stops it. */
  onState(listener: (state: LicensingState) => void): () => void
}
