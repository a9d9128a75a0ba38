import type { SessionView } from '../scene/session-view.ts'

/** The conversation between one activation screen and the main process. It draws nothing. */
export interface ActivationSession {
  readonly view: SessionView
  /** What the user tried last, to be corrected; empty after an activation. */
  readonly heldText: string
  start(): void
  stop(): void
  /**
   * Activates with what was entered; a text without a key is refused on the spot, of several the user chooses.
   *
   * @param takesAny whether license keys may be any text, so that only the main process can find one.
   */
  activate(licenseKeyText: string, takesAny?: boolean): void
  /** Lets the user choose one of the keys in a text. */
  offerKeys(licenseKeyText: string): void
  /** Activates with a key of `keyChoices`. */
  activateChoice(id: string): void
  /** Activates with the key that `clipboardKey` offers, and with no other one at later tries. */
  activateFromClipboard(): void
  /** Activates the license this device had before. */
  reactivate(): void
  /** Looks for a license key on the clipboard, to be offered. */
  lookAtClipboard(): void
  /** Takes back the offer of the key on the clipboard; that one is not offered again. */
  dismissClipboardKey(): void
  /** Tries again what was tried last; asks for a check when nothing was. */
  retry(): void
  /** The same without a click: it never asks for a seat that may have been taken already. */
  retryByItself(): void
  /** Stops waiting for an answer; what runs in the main process goes on. */
  stopWaiting(): void
  /** Goes to the form. */
  enterKey(): void
  /** Goes to the form, and drops a first activation that was not answered: it is not tried again by itself. */
  changeKey(): void
  /** Asks whether this device shall be deactivated. */
  askDeactivation(): void
  deactivate(): void
  /** Copies the details for support. */
  copyDetails(): void
  /** Back to what the state says. */
  back(): void
  loadDevices(): void
  /** Frees a device's seat, then goes on with the activation. */
  release(deviceId: string): void
}
