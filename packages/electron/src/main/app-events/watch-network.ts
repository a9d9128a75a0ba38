import type { ClockPort } from '../../core/ports.ts'

const pauseMs = 10_000

/** Options for watching the network. */
export interface NetworkWatchOptions {
  readonly clock: ClockPort
  /** Electron's `net.isOnline`: false means offline, true guarantees nothing. */
  readonly isOnline: () => boolean
  /** Whether anything waits for the network. If not, the network isn't checked. */
  readonly isWaiting: () => boolean
  /** Called when the network is back. */
  readonly onBack: () => void
}

/** Detects that the network is back. The main process has no event for it, so it is polled while something waits. */
export function watchNetwork(options: NetworkWatchOptions): { look(): void; stop(): void } {
  const { clock, isOnline, isWaiting, onBack } = options
  let cancel: (() => void) | null = null
  let wasOnline = true

  function look(): void {
    const isOnlineNow = isOnline()
    const isBack = isOnlineNow && !wasOnline
    wasOnline = isOnlineNow
    cancel?.()
    cancel = isWaiting() ? clock.after(pauseMs, look) : null
    if (isBack) onBack()
  }

  return {
    /** Starts polling if something waits. Call it after every change. */
    look() {
      if (cancel === null && isWaiting()) look()
    },
    stop() {
      cancel?.()
      cancel = null
    },
  }
}
