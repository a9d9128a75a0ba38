import type { LicensingBridgeError } from '../../renderer/licensing-bridge-error.ts'
import type { LicensingClient } from '../../renderer/licensing-client.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { SessionTimers } from './wait-clock.ts'

/** After this long without a first state, the main process counts as silent. */
const silenceMs = 10_000

/**
 * Follows the state that the main process publishes.
 *
 * @param onFault called with the reason if there is no state. A state may still arrive later.
 * @returns a function that stops it
 */
export function listenForState(
  client: LicensingClient,
  timers: SessionTimers,
  onState: (state: LicensingState | null) => void,
  onFault: (fault: string) => void,
): () => void {
  let isSilent = true
  const accept = (): void => {
    isSilent = false
    onState(client.getSnapshot())
  }
  const stops = [timers.after(silenceMs, () => isSilent && onFault('bridge-silent'))]
  client.ready.then(accept, (error: Partial<LicensingBridgeError> | undefined) => {
    // biome-ignore lint/suspicious/noConsole: the screen shows only the code.
    console.error(error)
    onFault(error?.code ?? 'bridge-silent')
  })
  try {
    stops.push(client.subscribe(accept))
    if (client.getSnapshot() !== null) accept()
  } catch {
    // `ready` rejected with the same error.
  }
  return () => {
    for (const stop of stops) stop()
  }
}
