import type { PublishedState } from '../state/published-state.ts'
import type { OperationQueue } from './operation-queue.ts'

/** Publishes which operation is running, now and again when this one ends. Resolves with its outcome. */
export type ShowActivity = <Outcome>(outcome: Promise<Outcome>) => Promise<Outcome>

/**
 * Creates the function that every operation's outcome goes through.
 *
 * @param seats the operations that take or free a seat.
 * @param checks those that only read.
 */
export function createShownActivity(
  published: PublishedState,
  seats: OperationQueue,
  checks: OperationQueue,
): ShowActivity {
  function show(): void {
    const running = seats.keys()[0]?.kind
    if (running === 'activate') published.setActivity('activating')
    else if (running !== undefined && running !== 'settle') published.setActivity('deactivating')
    else published.setActivity(checks.keys().length > 0 ? 'validating' : 'idle')
  }

  return async (outcome) => {
    show()
    return outcome.finally(show)
  }
}
