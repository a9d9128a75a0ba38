import type { Logger } from '../../core/ports/logger-port.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'

/** Options of a gate. */
export interface GateOptions {
  /**
   * Opens the app. Called once, when this device is entitled. At launch this happens immediately. After an activation
   * it happens when the user leaves the success screen, or after two and a half seconds. The activation window stays
   * open until the returned promise has settled and a window of the app is visible, so the app always has a window.
   */
  readonly whenEntitled: (state: LicensingState) => unknown
  /**
   * Called when the user closes the activation window without activating, or has seen that it can't be opened. Not
   * called if the window closes because the app quits.
   * @default app.quit()
   */
  readonly whenDismissed?: (() => unknown) | undefined
  /**
   * Called when the license is lost while the app is running: it ended, was deactivated, or was released from another
   * device. Latchkey closes none of your windows. Only the newest gate that opened the app watches for it.
   * @default Asks for a key in the activation window and leaves the app's windows open. Once the device is entitled
   * again, the activation window closes; `whenEntitled` is called again if the app has no window left.
   */
  readonly whenLost?: ((state: LicensingState) => unknown) | undefined
}

/** Dependencies of the gate. */
export interface GatePorts {
  readonly start: () => Promise<LicensingState>
  readonly subscribe: (listener: (state: LicensingState) => void) => () => void
  readonly openWindow: () => Promise<void>
  readonly closeWindow: () => void
  /** Resolves when a window of the app is visible, or none is expected. */
  readonly whenAppShows: () => Promise<void>
  /** Whether the activation window is visible. */
  readonly isWindowShown: () => boolean
  /** Keeps the window open when the user closes it, and calls back instead. @returns a function that stops this. */
  readonly holdWindow: (onLeft: () => void) => () => void
  /** Calls back once after that many milliseconds. @returns a function that cancels it. */
  readonly after: (delayMs: number, callback: () => void) => () => void
  readonly onWindowClosed: (listener: () => void) => () => void
  /** Calls back when the user summons the app: its dock icon was clicked, or it was started a second time. */
  readonly onSummoned: (listener: () => void) => () => void
  readonly quit: () => void
  /** Shows the user that the activation window could not be opened. */
  readonly showWindowError: (error: unknown) => void
  readonly logger: Logger
}

/** How long to show the success screen, in milliseconds. The user can leave it earlier. */
const lookMs = 2_500
/** How long to wait for the app to open, in milliseconds. After that the user can close the activation window. */
const longestOpeningMs = 10_000

/**
 * Opens the app once this device is entitled, and shows the activation window until then. After that the gate does
 * nothing: losing the license later closes no window.
 *
 * @returns a function that removes the gate. The activation window stays unchanged.
 */
export function openGate(options: GateOptions, ports: GatePorts): () => void {
  let isGone = false
  let hasAsked = false
  let stopWelcome: (() => void) | null = null
  const stops: (() => void)[] = [endWelcome]

  function leave(): void {
    isGone = true
    for (const stop of stops.splice(0)) stop()
  }

  /** Shows the success screen for a moment. */
  function welcome(state: LicensingState): void {
    if (stopWelcome !== null) return
    const enterNow = (): void => void enter(state)
    if (!ports.isWindowShown()) {
      enterNow()
      return
    }
    const letGo = ports.holdWindow(enterNow)
    const cancel = ports.after(lookMs, enterNow)
    stopWelcome = () => {
      cancel()
      letGo()
    }
  }

  function endWelcome(): void {
    stopWelcome?.()
    stopWelcome = null
  }

  async function enter(state: LicensingState): Promise<void> {
    if (isGone) return
    leave()
    if (hasAsked) await openBehindWindow(state)
    else await call('whenEntitled', () => options.whenEntitled(state))
  }

  /**
   * Keeps the activation window open until the app has another one, so that an extra click can't leave it without any.
   */
  async function openBehindWindow(state: LicensingState): Promise<void> {
    let isEntitled = true
    const letGo = ports.holdWindow(() => {})
    stops.push(
      letGo,
      ports.after(longestOpeningMs, letGo),
      ports.subscribe((next) => {
        isEntitled = next.entitled
      }),
    )
    await call('whenEntitled', () => options.whenEntitled(state))
    await ports.whenAppShows()
    leave()
    // If the user signed out while the app was opening, the window is still needed.
    if (isEntitled) ports.closeWindow()
  }

  async function call(name: string, callback: () => unknown): Promise<void> {
    try {
      await callback()
    } catch (error) {
      report(name, error)
    }
  }

  function report(name: string, error: unknown): void {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    ports.logger.error(`${name} failed at the gate: ${reason}`)
  }

  async function dismiss(): Promise<void> {
    await call('whenDismissed', options.whenDismissed ?? ports.quit)
  }

  async function ask(): Promise<void> {
    if (isGone) return
    hasAsked = true
    try {
      await ports.openWindow()
    } catch (error) {
      report('Opening the activation window', error)
      if (isGone) return
      // An app without a window can't even be quit.
      ports.showWindowError(error)
      await dismiss()
    }
  }

  async function wait(): Promise<void> {
    const state = await ports.start()
    if (isGone) return
    if (state.entitled) return enter(state)
    stops.push(
      ports.subscribe((next) => (next.entitled ? welcome(next) : endWelcome())),
      ports.onWindowClosed(() => {
        // If the app quits while the success screen is shown, the user hasn't dismissed anything.
        if (stopWelcome === null) void dismiss()
      }),
      ports.onSummoned(() => void ask()),
    )
    await ask()
  }

  void call('Starting licensing', wait)
  return leave
}
