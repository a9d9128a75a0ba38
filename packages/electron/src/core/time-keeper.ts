import { minimumCheckIntervalMs } from './check-schedule.ts'
import type { Desk } from './desk.ts'
import { emptyVault } from './vault.ts'

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
export function keepTime(desk: Desk, askService: () => void): { start(): void; stop(): void } {
  const { clock } = desk.ports
  let wasBehind = false
  // The end that was already asked about before it came.
  let foreseenMs: number | null = null
  // Planning anew does not put off the next look: the mark is saved at least that often.
  let lookedAtMs = 0
  let cancel: (() => void) | null = null
  let unsubscribe: (() => void) | null = null

  function plan(): void {
    cancel?.()
    const endsAtMs = desk.standing().changesAtMs ?? Number.POSITIVE_INFINITY
    const endsInMs = (): number => endsAtMs - desk.nowMs()
    const isForeseen = (): boolean => endsAtMs === foreseenMs
    const nextMs = isForeseen() || endsInMs() <= aheadMs ? endsInMs() : endsInMs() - aheadMs
    const nextLookMs = lookedAtMs + longestPauseMs - clock.monotonic()
    const pauseMs = Math.max(shortestPauseMs, Math.min(nextLookMs, nextMs))
    cancel = clock.after(pauseMs, () => {
      lookedAtMs = clock.monotonic()
      const isDue = endsInMs() <= 0 || (endsInMs() <= aheadMs && !isForeseen())
      const isEnding = isDue && desk.vault().activation !== null
      if (isEnding) foreseenMs = endsAtMs
      desk.publish()
      plan()
      if (isWorthKeeping(desk)) void desk.saveMark()
      lookAtClock(isEnding)
    })
  }

  function lookAtClock(isEnding: boolean): void {
    const isBehind = desk.isClockBehind()
    if (isEnding || (isBehind && !wasBehind)) askService()
    wasBehind = isBehind
  }

  return {
    start() {
      // Saved at once: otherwise a process that is killed early would find the old reading again, and never count time.
      if (desk.isClockBehind() && isWorthKeeping(desk)) void desk.saveMark()
      lookedAtMs = clock.monotonic()
      plan()
      unsubscribe = desk.subscribe(plan)
    },
    stop() {
      cancel?.()
      unsubscribe?.()
    },
  }
}

/** A vault that never held anything needs no file, and must not push another one aside. */
export function isWorthKeeping(desk: Desk): boolean {
  const { activation, pending, outbox, trialStartedAtMs } = desk.vault()
  return (
    activation !== emptyVault.activation ||
    pending !== emptyVault.pending ||
    outbox.length > 0 ||
    trialStartedAtMs !== emptyVault.trialStartedAtMs
  )
}
