import type { ClockPort } from '../../core/ports/clock-port.ts'

const pauseMs = 10_000

/** What watching the network needs. */
export interface NetworkWatchOptions {
  readonly clock: ClockPort
  /** Electron's `net.isOnline`: false means surely offline, true promises nothing. */
  readonly isOnline: () => boolean
  /** Whether anything waits for the network; while nothing does, nobody looks. */
  readonly isWaiting: () => boolean
  /** The network is back. */
  readonly onBack: () => void
}

/** Notices that the network is back. The main process has no event for it, so it looks now and then while it matters. */
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
    /** Starts looking when something waits; call it after every change. */
    look() {
      if (cancel === null && isWaiting()) look()
    },
    stop() {
      cancel?.()
      cancel = null
    },
  }
}
