import type { SessionView } from '../scene/session-view.ts'

/** The exchange between one activation window and the main process. It draws nothing. */
export interface ActivationSession {
  readonly view: SessionView
  /** The text of the last attempt, for the user to correct; empty after an activation. */
  readonly heldText: string
  start(): void
  stop(): void
  /**
   * Activates with the entered text. A text without a key is refused at once; if it has several, the user chooses one.
   *
   * @param takesAny whether license keys can be any text, so that only the main process can find one.
   */
  activate(licenseKeyText: string, takesAny?: boolean): void
  /** Lets the user choose one of the keys in a text. */
  offerKeys(licenseKeyText: string): void
  /** Activates with a key of `keyChoices`. */
  activateChoice(id: string): void
  /** Activates with the key that `clipboardKey` offers. Later attempts use the same key. */
  activateFromClipboard(): void
  /** Activates the license this device had before. */
  reactivate(): void
  /** Looks for a license key on the clipboard to offer. */
  lookAtClipboard(): void
  /** Withdraws the offer of the key on the clipboard. That key isn't offered again. */
  dismissClipboardKey(): void
  /** Repeats the last attempt, or the one that an earlier run of the app left open. Asks for a check if there is none. */
  retry(): void
  /** Retries automatically. If the last attempt may have taken a seat, it only asks for a check. */
  retryByItself(): void
  /** Stops waiting for an answer. The operation in the main process continues. */
  stopWaiting(): void
  /** Shows the form. */
  enterKey(): void
  /** Shows the form and drops an unanswered first activation, so that it isn't retried automatically. */
  changeKey(): void
  /** Starts an activation without internet. Waiting and retries stop until the user is back. */
  openOffline(): void
  /** Shows that something unexpected went wrong. The screen stays otherwise as it is. */
  showUnexpected(): void
  /** Asks whether to deactivate this device. */
  askDeactivation(): void
  deactivate(): void
  /** Copies the details for support. */
  copyDetails(): void
  /** Returns to what the state says. */
  back(): void
  /** Forgets the last attempt, and returns to what the state says. */
  finish(): void
  loadDevices(): void
  /** Releases a device's seat, then continues the activation. */
  release(deviceId: string): void
}
