import type { LicensingState } from '../../shared/licensing-state.ts'
import type { LicensingListener } from '../licensing-core.ts'
import type { Logger } from '../ports/logger-port.ts'

/** The listeners for state changes. */
export interface Listeners {
  /** Calls every listener. One that throws doesn't affect the others. */
  tell(state: LicensingState, previous: LicensingState): void
  subscribe(listener: LicensingListener): () => void
}

export function createListeners(logger: Logger): Listeners {
  const listeners = new Set<LicensingListener>()
  const untold: (readonly [LicensingState, LicensingState])[] = []

  function call(listener: LicensingListener, state: LicensingState, previous: LicensingState): void {
    try {
      listener(state, previous)
    } catch (error) {
      logger.error(`A licensing listener threw: ${error instanceof Error ? error.message : typeof error}`)
    }
  }

  return {
    tell(state, previous) {
      untold.push([state, previous])
      // If a listener causes a change, the others still get the earlier change first.
      if (untold.length > 1) return
      for (; untold[0] !== undefined; untold.shift()) {
        for (const listener of [...listeners]) call(listener, ...untold[0])
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
