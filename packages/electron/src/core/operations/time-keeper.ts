import type { CheckTrigger } from '../licensing-core.ts'
import type { LicensingSession } from '../licensing-session.ts'
import { minimumCheckIntervalMs } from './check-schedule.ts'

const longestPauseMs = 60 * 60 * 1000
const shortestPauseMs = 1000
/** How long before an end to check, in milliseconds: enough for one check before it and a second one at it. */
const aheadMs = 2 * minimumCheckIntervalMs
/** How long to wait after an end, in milliseconds: the `Date` of an answer has no fractions, so it may still be before it. */
const afterMs = 1000

/**
 * Publishes changes that happen through time alone (grace over, trial over, license expired) and saves the mark.
 *
 * @param askService called when the service may have news: a license or lease is about to end and may have been
 * renewed, or the wall clock was set back.
 */
export function keepTime(
  session: LicensingSession,
  askService: (trigger: CheckTrigger) => void,
): { start(): void; stop(): void } {
  const { clock } = session.ports
  let wasBehind = false
  // The upcoming end that was already checked.
  let foreseenMs: number | null = null
  // Rescheduling must not delay the next run, because the mark is saved at least that often.
  let lookedAtMs = 0
  let cancel: (() => void) | null = null
  let cancelAtEnd: (() => void) | null = null
  let unsubscribe: (() => void) | null = null

  function plan(): void {
    cancel?.()
    const endsAtMs = session.entitlement().changesAtMs ?? Number.POSITIVE_INFINITY
    const endsInMs = (): number => endsAtMs - session.time.nowMs()
    const isForeseen = (): boolean => endsAtMs === foreseenMs
    const nextMs = isForeseen() || endsInMs() <= aheadMs ? endsInMs() : endsInMs() - aheadMs
    const nextLookMs = lookedAtMs + longestPauseMs - clock.monotonic()
    const pauseMs = Math.max(shortestPauseMs, Math.min(nextLookMs, nextMs))
    cancel = clock.after(pauseMs, () => {
      lookedAtMs = clock.monotonic()
      const isOver = endsInMs() <= 0
      const isDue = isOver || (endsInMs() <= aheadMs && !isForeseen())
      const isEnding = isDue && session.vault().activation !== null
      if (isEnding) foreseenMs = endsAtMs
      session.published.publish()
      plan()
      void session.saveTime()
      if (isEnding && isOver) askAfterEnd()
      lookAtClock(isEnding && !isOver)
    })
  }

  function askAfterEnd(): void {
    cancelAtEnd?.()
    cancelAtEnd = clock.after(afterMs, () => askService('end'))
  }

  function lookAtClock(isEnding: boolean): void {
    const isBehind = session.time.isBehind()
    if (isEnding || (isBehind && !wasBehind)) askService('timer')
    wasBehind = isBehind
  }

  return {
    start() {
      // Save at once: if the process is killed early, the next one would start from the old reading and never count
      // time.
      if (session.time.isBehind()) void session.saveTime()
      lookedAtMs = clock.monotonic()
      plan()
      unsubscribe = session.published.subscribe(plan)
    },
    stop() {
      cancel?.()
      cancelAtEnd?.()
      unsubscribe?.()
    },
  }
}
