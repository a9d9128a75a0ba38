import { eventChannels } from '../../shared/ipc-channels.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { SenderFacts } from './trusted-sender.ts'

/** The part of a `WebContents` that is used here. Its getters may throw while its window closes. */
export interface StateReceiver {
  readonly id: number
  readonly mainFrame: { readonly url: string; send(channel: string, ...message: unknown[]): void }
  getType(): string
  isDestroyed(): boolean
}

/** Options for sending the state. */
export interface PushOptions {
  /** Returns all existing pages, in all windows. */
  readonly receivers: () => readonly StateReceiver[]
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (receiver: SenderFacts) => boolean
}

/** Sends a state to all trusted pages, and to no others. */
export function pushState(state: LicensingState, options: PushOptions): void {
  for (const receiver of options.receivers()) {
    try {
      if (receiver.isDestroyed()) continue
      const { mainFrame } = receiver
      const isTrusted = options.isTrusted({
        url: mainFrame.url,
        isMainFrame: true,
        isWebview: receiver.getType() === 'webview',
        isActivationWindow: options.isActivationWindow(receiver.id),
      })
      // Send to the frame whose address was checked, because the window may navigate.
      if (isTrusted) mainFrame.send(eventChannels.state, state)
    } catch {
      // The window is closing and doesn't need the state.
    }
  }
}
