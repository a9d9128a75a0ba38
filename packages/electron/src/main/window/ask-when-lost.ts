import type { LicensingState } from '../../shared/licensing-state.ts'
import { checkGateOptions, type GateOptions, type GatePorts, openGate } from './gate.ts'

/** The functions the watch uses, besides those of the gate. */
export interface LostLicensePorts extends GatePorts {
  readonly subscribe: (listener: (state: LicensingState, previous: LicensingState) => void) => () => void
}

/**
 * Watches an app that was opened. If its license is lost, calls `whenLost`. Without that option, asks for a key in the
 * activation window and leaves the app's windows open.
 *
 * @returns a function that stops watching.
 */
export function askWhenLost(options: GateOptions, ports: LostLicensePorts): () => void {
  let leaveGate: (() => void) | null = null

  function ask(): void {
    leaveGate?.()
    leaveGate = openGate(
      {
        whenEntitled: (state) => (ports.hasAppWindow() ? undefined : options.whenEntitled(state)),
        // The app keeps running. Closing this window must not quit it.
        whenDismissed: () => {},
      },
      ports,
    )
  }

  async function notify(whenLost: (state: LicensingState) => unknown, state: LicensingState): Promise<void> {
    try {
      await whenLost(state)
    } catch (error) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      ports.logger.error(`whenLost failed: ${reason}`)
    }
  }

  let isUntold = false
  const unsubscribe = ports.subscribe((state, previous) => {
    const isLost = previous.entitled && !state.entitled
    const { whenLost } = options
    if (whenLost === undefined) {
      if (isLost) ask()
      return
    }
    isUntold = (isUntold || isLost) && !state.entitled
    // The problem is set at the end of the operation that noticed the loss.
    if (!isUntold || state.activity !== 'idle') return
    isUntold = false
    void notify(whenLost, state)
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
 * @returns a function that creates a gate, which returns a function that removes it.
 */
export function createGates(ports: LostLicensePorts): (options: GateOptions) => () => void {
  let stopAsking = (): void => {}
  return (options) => {
    checkGateOptions(options)
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
