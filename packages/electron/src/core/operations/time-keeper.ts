import type { LicensingSession } from '../licensing-session.ts'
import { isWorthKeeping } from '../record/vault.ts'
import { minimumCheckIntervalMs } from './check-schedule.ts'

const longestPauseMs = 60 * 60 * 1000
const shortestPauseMs = 1000
/** Long enough for one check before the end, and a second one at it. */
const aheadMs = 2 * minimumCheckIntervalMs

/**
 * Notices what time alone changes (grace over, trial over, license expired) and keeps the mark on disk.
 *
 * @param askService called when the service may know better: a license or lease is about to end and may have been
 * renewed, or the wall clock was found set back.
 */
export function keepTime(session: LicensingSession, askService: () => void): { start(): void; stop(): void } {
  const { clock } = session.ports
  let wasBehind = false
  // The end that was already asked about before it came.
  let foreseenMs: number | null = null
  // Planning anew does not put off the next look: the mark is saved at least that often.
  let lookedAtMs = 0
  let cancel: (() => void) | null = null
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
      const isDue = endsInMs() <= 0 || (endsInMs() <= aheadMs && !isForeseen())
      const isEnding = isDue && session.vault().activation !== null
      if (isEnding) foreseenMs = endsAtMs
      session.published.publish()
      plan()
      if (isWorthKeeping(session.vault())) void session.file.saveUnlessForeign()
      lookAtClock(isEnding)
    })
  }

  function lookAtClock(isEnding: boolean): void {
    const isBehind = session.time.isBehind()
    if (isEnding || (isBehind && !wasBehind)) askService()
    wasBehind = isBehind
  }

  return {
    start() {
      // Saved at once: otherwise a process that is killed early would find the old reading again, and never count time.
      if (session.time.isBehind() && isWorthKeeping(session.vault())) void session.file.saveUnlessForeign()
      lookedAtMs = clock.monotonic()
      plan()
      unsubscribe = session.published.subscribe(plan)
    },
    stop() {
      cancel?.()
      unsubscribe?.()
    },
  }
}
