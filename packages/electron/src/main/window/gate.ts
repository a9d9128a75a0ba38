import type { Logger } from '../../core/ports.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { askAtGate } from './ask-at-gate.ts'

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
   * device. The check or operation that noticed it has ended, so `state.problem` has the reason, if there is one. Latchkey
   * closes none of your windows. Only the newest gate that opened the app watches for it.
   * @default Asks for a key in the activation window and leaves the app's windows open. Once the device is entitled
   * again, the activation window closes; `whenEntitled` is called again if the app has no window left.
   */
  readonly whenLost?: ((state: LicensingState) => unknown) | undefined
}

const callbacks: readonly string[] = ['whenEntitled', 'whenDismissed', 'whenLost']

/**
 * Checks the options of a gate when it is created. A mistake would otherwise appear only once a user has activated.
 *
 * @throws TypeError if `whenEntitled` is missing, an option isn't a function, or there is no such option.
 */
export function checkGateOptions(options: GateOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options }
  for (const name of ['whenEntitled', ...Object.keys(given)]) {
    const value = given[name]
    const isLeftOut = value === undefined && name !== 'whenEntitled'
    if (callbacks.includes(name) && (typeof value === 'function' || isLeftOut)) continue
    throw new TypeError(
      `gate: ${name} can't be used. Pass whenEntitled, a function that opens your window. whenDismissed and whenLost are optional functions.`,
    )
  }
}

/** Dependencies of the gate. */
export interface GatePorts {
  readonly start: () => Promise<LicensingState>
  readonly subscribe: (listener: (state: LicensingState) => void) => () => void
  readonly openWindow: () => Promise<void>
  readonly closeWindow: () => void
  /** Resolves when a window of the app is visible, or none is expected. */
  readonly whenAppShows: () => Promise<void>
  /** Whether the app has a window besides the activation window. */
  readonly hasAppWindow: () => boolean
  /** Called when an app that was entitled at once has opened. */
  readonly onEntered?: (() => void) | undefined
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
  /** Shows the user that the activation window could not be opened. Never rejects. */
  readonly showWindowError: (error: unknown) => Promise<void>
  /** Loads what asks for a license key. An app that is entitled at launch doesn't need it. */
  readonly loadAskAtGate: () => Promise<typeof askAtGate>
  readonly logger: Logger
}

/**
 * Opens the app once this device is entitled, and shows the activation window until then. After that the gate does
 * nothing: losing the license later closes no window.
 *
 * @returns a function that removes the gate. The activation window stays unchanged.
 */
export function openGate(options: GateOptions, ports: GatePorts): () => void {
  let isGone = false
  let stopAsking = (): void => {}

  async function wait(): Promise<void> {
    let step = 'Starting licensing'
    try {
      if ((await enterIfEntitled()) || isGone) return
      step = 'Opening the activation window'
      const ask = await ports.loadAskAtGate()
      // The license may have been activated while that was loading.
      if (isGone || (await enterIfEntitled())) return
      if (!isGone) stopAsking = ask(options, ports)
    } catch (error) {
      await fail(step, error)
    }
  }

  /** An update may have replaced the app's files. An app that stays open tries again when the user summons it. */
  async function fail(step: string, error: unknown): Promise<void> {
    reportAtGate(step, error, ports.logger)
    if (isGone) return
    stopAsking = ports.onSummoned(() => {
      stopAsking()
      void wait()
    })
    await showFailure(error, options, ports)
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
export async function callAtGate(name: string, callback: () => unknown, logger: Logger): Promise<void> {
  try {
    await callback()
  } catch (error) {
    reportAtGate(name, error, logger)
  }
}

/** Tells the user that the activation window can't be opened. Then the app usually quits, since it has no window. */
export async function showFailure(error: unknown, options: GateOptions, ports: GatePorts): Promise<void> {
  await ports.showWindowError(error)
  await dismiss(options, ports)
}

/** Calls the app's `whenDismissed`. */
export async function dismiss(options: GateOptions, ports: GatePorts): Promise<void> {
  await callAtGate('whenDismissed', options.whenDismissed ?? ports.quit, ports.logger)
}

/** Logs what failed at a gate. */
export function reportAtGate(name: string, error: unknown, logger: Logger): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  logger.error(`${name} failed at the gate: ${reason}`)
}
