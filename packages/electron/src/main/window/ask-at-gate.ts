import type { LicensingState } from '../../shared/licensing-state.ts'
import type { ProblemCode } from '../../shared/problem.ts'
import { callAtGate, dismiss, type GateOptions, type GatePorts, reportAtGate, showFailure } from './gate.ts'

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
export function askAtGate(options: GateOptions, ports: GatePorts): () => void {
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
    if (!ports.isWindowShown()) {
      void enter(state)
      return
    }
    const letGo = ports.holdWindow(() => void enter(state))
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
    const letGo = ports.holdWindow(() => {})
    stops.push(
      letGo,
      ports.after(longestOpeningMs, letGo),
      ports.subscribe((next) => {
        isEntitled = next.entitled
      }),
    )
    await callAtGate('whenEntitled', () => options.whenEntitled(state), ports.logger)
    // It may be closed before it is visible, for example because the app quits.
    const hasOpened = ports.hasAppWindow()
    await ports.whenAppShows()
    leave()
    // If the user signed out while the app was opening, the window is still needed.
    if (isEntitled) ports.closeWindow()
    if (isEntitled && !hasOpened && !ports.hasAppWindow()) ports.logger.warn(noWindow)
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
    ports.onWindowClosed(() => {
      // If the app quits while the success screen is shown, the user hasn't dismissed anything.
      if (stopWelcome === null) void dismiss(options, ports)
    }),
    ports.onSummoned(() => void ask()),
  )
  void ask()
  return leave
}
