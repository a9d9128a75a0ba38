import type { Logger } from '../core/ports/logger-port.ts'
import type { LicensingState } from '../shared/licensing-state.ts'

/** What an app does at its gate. */
export interface GateOptions {
  /**
   * Opens the app: called once, as soon as this device is entitled, at launch or after an activation. The activation
   * window stays until the returned promise settles, so the app is never without a window.
   */
  readonly whenEntitled: (state: LicensingState) => unknown
  /**
   * The user closed the activation window without activating.
   * @default app.quit()
   */
  readonly whenDismissed?: (() => unknown) | undefined
}

/** What the gate stands on. */
export interface GatePorts {
  readonly start: () => Promise<LicensingState>
  readonly subscribe: (listener: (state: LicensingState) => void) => () => void
  readonly openWindow: () => Promise<void>
  readonly closeWindow: () => void
  readonly onWindowClosed: (listener: () => void) => () => void
  /** The app was called to the front: its dock icon was clicked, or it was started a second time. */
  readonly onSummoned: (listener: () => void) => () => void
  readonly quit: () => void
  readonly logger: Logger
}

/**
 * Lets the app in once this device is entitled, and shows the activation window until then. What happens after that
 * is the app's own affair: losing the license later closes nothing.
 *
 * @returns takes the gate away; the activation window stays as it is.
 */
export function openGate(options: GateOptions, ports: GatePorts): () => void {
  let isGone = false
  const stops: (() => void)[] = []

  function leave(): void {
    isGone = true
    for (const stop of stops.splice(0)) stop()
  }

  async function enter(state: LicensingState): Promise<void> {
    if (isGone) return
    leave()
    let isEntitled = true
    const stopWatching = ports.subscribe((next) => {
      isEntitled = next.entitled
    })
    await call('whenEntitled', () => options.whenEntitled(state))
    stopWatching()
    // Signed out while the app was opening: the window is somebody's way back in.
    if (isEntitled) ports.closeWindow()
  }

  async function call(name: string, callback: () => unknown): Promise<void> {
    try {
      await callback()
    } catch (error) {
      ports.logger.error(
        `${name} failed at the gate: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      )
    }
  }

  async function ask(): Promise<void> {
    if (isGone) return
    await call('Opening the activation window', ports.openWindow)
  }

  async function wait(): Promise<void> {
    const state = await ports.start()
    if (isGone) return
    if (state.entitled) return enter(state)
    stops.push(
      ports.subscribe((next) => {
        if (next.entitled) void enter(next)
      }),
      ports.onWindowClosed(() => void call('whenDismissed', options.whenDismissed ?? ports.quit)),
      ports.onSummoned(() => void ask()),
    )
    await ask()
  }

  void call('Starting licensing', wait)
  return leave
}
