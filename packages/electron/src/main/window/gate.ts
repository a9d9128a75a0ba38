import { checkOptions } from '@latchkey/commerce/options'
import * as z from 'zod/mini'
import type { Logger } from '../../core/ports.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import type { ActivationWindow } from './activation-window.ts'

/** Options of a gate. */
export interface GateOptions {
  /**
   * Opens the app. Called once, when this device is entitled. At launch this happens immediately. After an activation
   * it happens when the user leaves the success screen, or after two and a half seconds if there is no release code to
   * note. The activation window stays open until the returned promise has settled and a window of the app is visible, so
   * the app always has a window. In development, a warning is logged if the app has no window then.
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
   * device. The check or operation that noticed it has ended, so `state.problem` has the reason, if there is one. If
   * you set it, Latchkey closes none of your windows. Only the newest gate that opened the app watches for it.
   * @default Asks for a key in the activation window and leaves the app's windows open. It closes them only on a computer
   * that turns out, right after the launch, to have been set up from another one. Once the device is entitled again, the
   * activation window closes; `whenEntitled` is called again if the app has no window left.
   */
  readonly whenLost?: ((state: LicensingState) => unknown) | undefined
}

const callback = z.custom<(state: LicensingState) => unknown>(
  (value) => typeof value === 'function',
  'must be a function',
)
const optionsSchema = z.strictObject({
  whenEntitled: z.custom<GateOptions['whenEntitled']>(
    (value) => typeof value === 'function',
    'must be a function that opens your window',
  ),
  whenDismissed: z.optional(callback),
  whenLost: z.optional(callback),
})

/** The part of a window that is used here. */
export interface AppWindow {
  isVisible(): boolean
  close(): void
  once(event: 'show' | 'closed', listener: () => void): unknown
}

/** Dependencies of the gate. */
export interface GatePorts {
  readonly start: () => Promise<LicensingState>
  readonly subscribe: (listener: (state: LicensingState, previous: LicensingState) => void) => () => void
  /** Opens the activation window. */
  readonly openWindow: () => Promise<void>
  readonly window: Pick<ActivationWindow, 'close' | 'hold' | 'isOpen' | 'isShown' | 'onClosed'>
  /** Returns the app's windows besides the activation window. */
  readonly appWindows: () => readonly AppWindow[]
  /** Called when an app that was entitled at once has opened. */
  readonly onEntered?: (() => void) | undefined
  /** Calls back once after that many milliseconds. @returns a function that cancels it. */
  readonly after: (delayMs: number, callback: () => void) => () => void
  /** Calls back when the user summons the app: its dock icon was clicked, or it was started a second time. */
  readonly onSummoned: (listener: () => void) => () => void
  readonly quit: () => void
  /** Shows the user that the activation window could not be opened. Never rejects. */
  readonly showWindowError: (error: unknown) => Promise<void>
  readonly logger: Logger
}

/**
 * Opens the app once this device is entitled, and shows the activation window until then. After that the gate does
 * nothing: losing the license later closes no window.
 *
 * @returns a function that removes the gate. The activation window stays unchanged.
 */
function openGate(options: GateOptions, ports: GatePorts): () => void {
  let isGone = false
  let stopAsking = (): void => {}

  async function wait(): Promise<void> {
    try {
      if ((await enterIfEntitled()) || isGone) return
      stopAsking = askAtGate(options, ports)
    } catch (error) {
      reportAtGate('Starting licensing', error, ports.logger)
      if (isGone) return
      // An app that stays open tries again when the user summons it.
      stopAsking = ports.onSummoned(() => {
        stopAsking()
        void wait()
      })
      await showFailure(error, options, ports)
    }
  }

  async function enterIfEntitled(): Promise<boolean> {
    const state = await ports.start()
    if (!isGone && state.entitled) {
      isGone = true
      await callAtGate('whenEntitled', () => options.whenEntitled(state), ports.logger)
      ports.onEntered?.()
    }
    return state.entitled
  }

  void wait()
  return () => {
    isGone = true
    stopAsking()
  }
}

/** Calls one of the app's functions, and logs its error. */
async function callAtGate(name: string, callback: () => unknown, logger: Logger): Promise<void> {
  try {
    await callback()
  } catch (error) {
    reportAtGate(name, error, logger)
  }
}

/** Calls the app's `whenDismissed`. */
async function dismiss(options: GateOptions, ports: GatePorts): Promise<void> {
  await callAtGate('whenDismissed', options.whenDismissed ?? ports.quit, ports.logger)
}

/** Tells the user that the activation window can't be opened. Then the app usually quits, since it has no window. */
async function showFailure(error: unknown, options: GateOptions, ports: GatePorts): Promise<void> {
  await ports.showWindowError(error)
  await dismiss(options, ports)
}

/** Logs what failed at a gate. */
function reportAtGate(name: string, error: unknown, logger: Logger): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  logger.error(`${name} failed at the gate: ${reason}`)
}

/** How long to show the success screen, in milliseconds. The user can leave it earlier. */
const lookMs = 2_500
/** Problems that the user can do something about, although the app is activated. */
const toRead: ReadonlySet<ProblemCode | undefined> = new Set<ProblemCode>([
  'seat-may-be-taken',
  'store-not-writable',
  'disk-full',
])
/** Without this line, an app whose only window closes would end silently. */
const noWindow =
  'whenEntitled opened no window, and the activation window has closed. If your app has a window, does whenEntitled call the function that opens it?'
/** How long to wait for the app to open, in milliseconds. After that the user can close the activation window. */
const longestOpeningMs = 10_000

/**
 * Shows the activation window until this device is entitled, and then opens the app.
 *
 * @returns a function that stops asking. The activation window stays unchanged.
 */
function askAtGate(options: GateOptions, ports: GatePorts): () => void {
  let isGone = false
  let stopWelcome: (() => void) | null = null
  let stopTimer = (): void => {}
  let isToRead = false
  const stops: (() => void)[] = [endWelcome]

  function leave(): void {
    isGone = true
    for (const stop of stops.splice(0)) stop()
  }

  /**
   * Shows the success screen for a moment. With the release code of a replaced license, or with a problem that the user can
   * do something about, it stays until the user has read that.
   */
  function welcome(state: LicensingState): void {
    const wasToRead = isToRead
    isToRead = state.releaseCodes !== undefined || toRead.has(state.problem?.code)
    if (stopWelcome === null) startWelcome(state)
    else if (wasToRead && !isToRead) startTimer(state)
    if (isToRead) stopTimer()
  }

  function startTimer(state: LicensingState): void {
    stopTimer = ports.after(lookMs, () => void enter(state))
  }

  function startWelcome(state: LicensingState): void {
    if (!ports.window.isShown) {
      void enter(state)
      return
    }
    const letGo = ports.window.hold(() => void enter(state))
    startTimer(state)
    stopWelcome = () => {
      stopTimer()
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
    await openBehindWindow(state)
  }

  /**
   * Keeps the activation window open until the app has another one, so that an extra click can't leave it without any.
   */
  async function openBehindWindow(state: LicensingState): Promise<void> {
    let isEntitled = true
    const letGo = ports.window.hold(() => {})
    stops.push(
      letGo,
      ports.after(longestOpeningMs, letGo),
      ports.subscribe((next) => {
        isEntitled = next.entitled
      }),
    )
    await callAtGate('whenEntitled', () => options.whenEntitled(state), ports.logger)
    // It may be closed before it is visible, for example because the app quits.
    const opened = ports.appWindows()
    if (ports.window.isOpen) await whenAppShows(opened, ports.after)
    leave()
    // If the user signed out while the app was opening, the window is still needed.
    if (isEntitled) ports.window.close()
    if (isEntitled && opened.length === 0 && ports.appWindows().length === 0) ports.logger.warn(noWindow)
  }

  async function ask(): Promise<void> {
    if (isGone) return
    try {
      await ports.openWindow()
    } catch (error) {
      reportAtGate('Opening the activation window', error, ports.logger)
      if (!isGone) await showFailure(error, options, ports)
    }
  }

  stops.push(
    ports.subscribe((next) => (next.entitled ? welcome(next) : endWelcome())),
    ports.window.onClosed(() => {
      // If the app quits while the success screen is shown, the user hasn't dismissed anything.
      if (stopWelcome === null) void dismiss(options, ports)
    }),
    ports.onSummoned(() => void ask()),
  )
  void ask()
  return leave
}

/** How long to wait for a hidden window, in milliseconds, since it may stay hidden on purpose. */
const longestHiddenMs = 3_000

/**
 * Waits until one of these windows is visible. Most apps create theirs hidden and show it when its page is painted.
 * Resolves at once if one is already visible or there is none.
 */
async function whenAppShows(
  windows: readonly AppWindow[],
  after: (delayMs: number, callback: () => void) => () => void,
): Promise<void> {
  if (windows.length === 0 || windows.some((window) => window.isVisible())) return
  await new Promise<void>((resolve) => {
    const cancel = after(longestHiddenMs, resolve)
    const stop = (): void => {
      cancel()
      resolve()
    }
    for (const window of windows) {
      window.once('show', stop)
      window.once('closed', stop)
    }
  })
}

/**
 * Watches an app that was opened. If its license is lost, calls `whenLost`. Without that option, asks for a key in the
 * activation window and leaves the app's windows open.
 *
 * @returns a function that stops watching.
 */
function askWhenLost(options: GateOptions, ports: GatePorts): () => void {
  let leaveGate: (() => void) | null = null

  function ask(): void {
    leaveGate?.()
    leaveGate = openGate(
      {
        whenEntitled: (state) => (ports.appWindows().length > 0 ? undefined : options.whenEntitled(state)),
        // The app keeps running. Closing this window must not quit it.
        whenDismissed: () => {},
      },
      ports,
    )
  }

  function closeAppWindows(): void {
    for (const window of ports.appWindows()) window.close()
  }

  let isUntold = false
  const unsubscribe = ports.subscribe((state, previous) => {
    const isLost = previous.entitled && !state.entitled
    const { whenLost } = options
    if (whenLost === undefined) {
      if (isLost) ask()
      // A computer that was set up from another one may open for a moment until it is identified.
      if (isLost && state.problem?.code === 'record-of-another-device') {
        void ports.openWindow().then(closeAppWindows, () => {})
      }
      return
    }
    isUntold = (isUntold || isLost) && !state.entitled
    // The problem is set at the end of the operation that noticed the loss.
    if (!isUntold || state.activity !== 'idle') return
    isUntold = false
    void callAtGate('whenLost', () => whenLost(state), ports.logger)
  })
  return () => {
    unsubscribe()
    leaveGate?.()
  }
}

/**
 * Creates gates that also watch for a lost license. Only the newest gate that opened the app watches, so the user is
 * asked once even if the app calls `gate()` in several places.
 *
 * @returns a function that creates a gate, which returns a function that removes it. It throws a TypeError for an option that
 * is missing, unknown or no function.
 */
export function createGates(ports: GatePorts): (options: GateOptions) => () => void {
  let stopAsking = (): void => {}
  return (options) => {
    // A mistake would otherwise appear only once a user has activated.
    checkOptions('gate', optionsSchema, options)
    let stopOwnAsking = (): void => {}
    const whenEntitled = (state: LicensingState): unknown => {
      stopAsking()
      stopOwnAsking = askWhenLost(options, ports)
      stopAsking = stopOwnAsking
      return options.whenEntitled(state)
    }
    const leaveGate = openGate({ ...options, whenEntitled }, ports)
    return () => {
      leaveGate()
      stopOwnAsking()
    }
  }
}
