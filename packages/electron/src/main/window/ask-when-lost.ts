import type { LicensingState } from '../../shared/licensing-state.ts'
import { type GateOptions, type GatePorts, openGate } from './gate.ts'

/** Dependencies of the watch, beside those of the gate. */
export interface LostLicensePorts extends GatePorts {
  readonly subscribe: (listener: (state: LicensingState, previous: LicensingState) => void) => () => void
  /** Whether the app has a window besides the activation window. */
  readonly hasAppWindow: () => boolean
}

/**
 * Watches an app that was let in. When its license is lost, calls `whenLost`; without one, asks for a key in the
 * activation window beside whatever is open, and leaves the app's windows alone.
 *
 * @returns stops watching.
 */
export function askWhenLost(options: GateOptions, ports: LostLicensePorts): () => void {
  let leaveGate: (() => void) | null = null

  function ask(): void {
    leaveGate?.()
    leaveGate = openGate(
      {
        whenEntitled: (state) => (ports.hasAppWindow() ? undefined : options.whenEntitled(state)),
        // The app goes on as it is: closing the question must not quit it.
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

  const unsubscribe = ports.subscribe((state, previous) => {
    if (!previous.entitled || state.entitled) return
    if (options.whenLost === undefined) ask()
    else void notify(options.whenLost, state)
  })
  return () => {
    unsubscribe()
    leaveGate?.()
  }
}

/**
 * Opens gates that also watch for a lost license. Only the newest gate that let the app in watches, so an app that
 * calls `gate()` from several places is asked once.
 *
 * @returns opens a gate, and returns a function that takes it away.
 */
export function createGates(ports: LostLicensePorts): (options: GateOptions) => () => void {
  let stopAsking = (): void => {}
  return (options) => {
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
