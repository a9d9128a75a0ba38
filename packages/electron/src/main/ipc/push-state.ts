import { eventChannels } from '../../shared/ipc-channels.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { SenderFacts } from './trusted-sender.ts'

/** The part of a `WebContents` that is used. Its getters may throw while its window closes. */
export interface StateReceiver {
  readonly id: number
  readonly mainFrame: { readonly url: string; send(channel: string, ...message: unknown[]): void }
  getType(): string
  isDestroyed(): boolean
}

/** What pushing needs. */
export interface PushOptions {
  /** Every page that exists now, in whatever window. */
  readonly receivers: () => readonly StateReceiver[]
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (receiver: SenderFacts) => boolean
}

/** Tells a state to every trusted page there is at this moment, and to no other. */
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
      // To the frame whose address was checked, not to whatever the window shows next.
      if (isTrusted) mainFrame.send(eventChannels.state, state)
    } catch {
      // A window that closes at this very moment needs no news.
    }
  }
}
