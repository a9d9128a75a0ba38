import type { ActivationLink, ActivationScreen } from './activation-screen.ts'
import type { LicensingState } from './licensing-state.ts'
import type {
  ActivationResult,
  DeactivationResult,
  DevicesResult,
  LinkResult,
  OfflineActivationResult,
  OfflineRequestResult,
  ReleaseResult,
} from './results.ts'

/**
 * The object that the preload script exposes as `window.latchkey`: one function per method, with plain data. The
 * methods with the same name in `Licensing` explain more. In a window that isn't trusted, every function returns a
 * rejected promise.
 */
export interface LicensingBridge {
  /** Returns the current state. */
  getState(): Promise<LicensingState>
  /**
   * Activates this device.
   * @param licenseKeyText the pasted text, up to 10,000 characters. A longer one is `text-too-long`.
   */
  activate(licenseKeyText: string): Promise<ActivationResult>
  /** Activates the license on record again. Its key never reaches the window. */
  reactivate(): Promise<ActivationResult>
  /** Checks with the service now. Resolves with the state after the answer or the failed request. */
  validate(): Promise<LicensingState>
  /** Creates a request to activate this computer without internet. The result contains the license key. */
  createOfflineRequest(licenseKeyText: string): Promise<OfflineRequestResult>
  /**
   * Activates this device with the answer to its request.
   * @param text the pasted answer, or the content of its file.
   */
  activateOffline(text: string): Promise<OfflineActivationResult>
  /** Drops an activation that still waits for the service. A license that is in use stays. */
  cancelActivation(): Promise<LicensingState>
  /** Deactivates this device and frees its seat, later if the service is unreachable. */
  deactivate(): Promise<DeactivationResult>
  /** Lists the devices of the license. Here `id` is an opaque handle, never the id of a key. */
  devices(): Promise<DevicesResult>
  /** Frees the seat of a device. @param deviceId a handle from the latest result of `devices`. */
  releaseDevice(deviceId: string): Promise<ReleaseResult>
  /** Shows the activation window, or focuses the existing one. Resolves when it is visible. */
  openActivationWindow(): Promise<void>
  /** Closes the activation window, if there is one. */
  closeActivationWindow(): Promise<void>
  /** Returns the appearance and texts of the activation window. */
  screen(): Promise<ActivationScreen>
  /** Opens one of the configured links in the system browser. */
  openLink(link: ActivationLink): Promise<LinkResult>
  /** Returns the license key on the clipboard, masked; `null` if there is none. */
  clipboardKey(): Promise<{ readonly maskedKey: string } | null>
  /**
   * Activates the license key that `clipboardKey` offered to this window under this mask, even if the clipboard has
   * changed since. The key itself never reaches the window. Without such an offer: `no-license-key`.
   */
  activateFromClipboard(maskedKey: string): Promise<ActivationResult>
  /** Copies the masked report of `diagnose()` to the clipboard. */
  copyDiagnosis(): Promise<void>
  /** Calls the listener with every new state. @returns a function that removes it. */
  onState(listener: (state: LicensingState) => void): () => void
}

/** The functions of the bridge that a window may call. */
export type LicensingVerbs = Omit<LicensingBridge, 'onState'>

/** The name of a function that a window may call. */
export type LicensingVerb = keyof LicensingVerbs

/**
 * Every verb with the number of its arguments. The preload script, the renderer and the main process all derive from it.
 * The schema of the arguments is in the main process, next to the handler.
 */
export const licensingVerbs: {
  readonly [Verb in LicensingVerb]: Parameters<LicensingVerbs[Verb]>['length']
} = {
  getState: 0,
  activate: 1,
  reactivate: 0,
  validate: 0,
  createOfflineRequest: 1,
  activateOffline: 1,
  cancelActivation: 0,
  deactivate: 0,
  devices: 0,
  releaseDevice: 1,
  openActivationWindow: 0,
  closeActivationWindow: 0,
  screen: 0,
  openLink: 1,
  clipboardKey: 0,
  activateFromClipboard: 1,
  copyDiagnosis: 0,
}

/** Returns the IPC channel of a verb. */
export function channelOf(verb: string): string {
  return `latchkey:${verb}`
}

/** Channels that carry events instead of calls. */
export const eventChannels = {
  /** From the main process to every trusted window: the new state. */
  state: 'latchkey:state',
  /** From the activation window's preload script to the main process: the height of its page, in pixels. */
  pageHeight: 'latchkey:page-height',
} as const

/** The main process's error for a window that it doesn't trust. The window recognizes it. */
export const refusedWindow = 'Latchkey refused this window'

/** Name under which the preload exposes the bridge on `window`. */
export const bridgeName = 'latchkey'
