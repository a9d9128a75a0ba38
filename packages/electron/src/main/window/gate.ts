import type { Logger } from '../../core/ports/logger-port.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'

/** What an app does at its gate. */
export interface GateOptions {
  /**
   * Opens the app: called once, when this device is entitled. At launch that is at once. After an activation it is when
   * the user goes on from the words that say so, or two and a half seconds later. The activation window stays until
   * the returned promise has settled and a window of the app can be seen, so the app is never without one.
   */
  readonly whenEntitled: (state: LicensingState) => unknown
  /**
   * The user closed the activation window without activating, or was told that it cannot be opened. Not called when
   * the window closes because the app quits.
   * @default app.quit()
   */
  readonly whenDismissed?: (() => unknown) | undefined
  /**
   * The license was lost while the app was running: it ended, was deactivated, or was released from another device.
   * Latchkey closes none of your windows. Only the newest gate that let the app in watches for it.
   * @default Asks for a key in the activation window and leaves the app's windows open. Once the device is entitled
   * again, the activation window closes; `whenEntitled` is called again if the app has no window left.
   */
  readonly whenLost?: ((state: LicensingState) => unknown) | undefined
}

/** What the gate stands on. */
export interface GatePorts {
  readonly start: () => Promise<LicensingState>
  readonly subscribe: (listener: (state: LicensingState) => void) => () => void
  readonly openWindow: () => Promise<void>
  readonly closeWindow: () => void
  /** Resolves when a window of the app can be seen, or none is to be expected. */
  readonly whenAppShows: () => Promise<void>
  /** Whether somebody can see the activation window. */
  readonly isWindowShown: () => boolean
  /** Keeps the window when the user leaves it, and calls back instead. @returns lets it go again. */
  readonly holdWindow: (onLeft: () => void) => () => void
  /** Calls back once, that many milliseconds later. @returns cancels it. */
  readonly after: (delayMs: number, callback: () => void) => () => void
  readonly onWindowClosed: (listener: () => void) => () => void
  /** The app was called to the front: its dock icon was clicked, or it was started a second time. */
  readonly onSummoned: (listener: () => void) => () => void
  readonly quit: () => void
  /** Tells the user that the activation window could not be opened. */
  readonly showWindowError: (error: unknown) => void
  readonly logger: Logger
}

/** Long enough to read who is activated, on how many devices and until when; whoever is done earlier goes on. */
const lookMs = 2_500
/** An app that takes longer to open may never do so, and its user must be able to close what is there. */
const longestOpeningMs = 10_000

/**
 * Lets the app in once this device is entitled, and shows the activation window until then. What happens after that
 * is the app's own affair: losing the license later closes nothing.
 *
 * @returns takes the gate away; the activation window stays as it is.
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

  /** Leaves the user a moment with the words that the app is activated. */
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

  /** Keeps the activation window until there is another: a click too many must not leave the app without any. */
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
    // Signed out while the app was opening: the window is somebody's way back in.
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
      // An app that runs on without a window cannot even be quit.
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
        // With the app quitting while it says welcome, nobody has dismissed anything.
        if (stopWelcome === null) void dismiss()
      }),
      ports.onSummoned(() => void ask()),
    )
    await ask()
  }

  void call('Starting licensing', wait)
  return leave
}
