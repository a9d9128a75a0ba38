import type { CheckTrigger } from '../licensing-core.ts'
import type { ClockPort } from '../ports/clock-port.ts'
import { maxRetryAfterMs, type ProblemCause } from '../problem.ts'

/** Latchkey never checks more often than this by itself. */
export const minimumCheckIntervalMs: number = 5 * 60 * 1000

/** What is in doubt is asked again within the hour, whatever the jitter. */
const inDoubtMs = 50 * 60 * 1000

/** Decides when to check without being asked by a person. */
export interface CheckSchedule {
  /** Checks now, or as soon as the last check is long enough ago. */
  request(trigger: CheckTrigger): void
  /**
   * A check ended, whoever asked for it; plans the next one.
   *
   * @param isInDoubt whether the answer leaves a question that should be asked again soon. @default false
   */
  settled(cause: ProblemCause | null, isInDoubt?: boolean): void
  stop(): void
}

/** @param recheckMs how often a running app checks while all is well. */
export function createCheckSchedule(clock: ClockPort, recheckMs: number, check: () => void): CheckSchedule {
  let earliestMs = Number.NEGATIVE_INFINITY
  // The same on the wall clock, which goes on while the computer sleeps.
  let earliestWallMs = Number.NEGATIVE_INFINITY
  let failures = 0
  let hasBegun = false
  let isStopped = false
  let planned: { readonly atMs: number; readonly cancel: () => void } | null = null

  function plan(atMs: number): void {
    planned?.cancel()
    if (isStopped) return
    const cancel = clock.after(Math.max(0, atMs - clock.monotonic()), () => {
      planned = null
      start()
    })
    planned = { atMs, cancel }
  }

  function start(): void {
    planned?.cancel()
    planned = null
    hasBegun = true
    waitFor(minimumCheckIntervalMs)
    check()
  }

  function waitFor(pauseMs: number): void {
    earliestMs = clock.monotonic() + pauseMs
    earliestWallMs = clock.now() + pauseMs
  }

  function isLongEnoughAgo(trigger: CheckTrigger): boolean {
    return clock.monotonic() >= earliestMs || (trigger === 'resume' && clock.now() >= earliestWallMs)
  }

  return {
    request(trigger) {
      if (isStopped) return
      // Somebody asked while the app was still busy with its start.
      if (trigger === 'launch' && hasBegun) return
      if (isLongEnoughAgo(trigger)) start()
      else if (planned === null || planned.atMs > earliestMs) plan(earliestMs)
    },
    settled(cause, isInDoubt = false) {
      hasBegun = true
      failures = cause === null ? 0 : failures + 1
      const allWellMs = isInDoubt ? Math.min(inDoubtMs, recheckMs) : recheckMs
      const pauseMs = failures === 0 ? allWellMs : backOffMs(failures, recheckMs)
      const askedMs = Math.min(cause?.retryAfterMs ?? 0, maxRetryAfterMs)
      waitFor(Math.max(minimumCheckIntervalMs, askedMs))
      plan(Math.max(earliestMs, clock.monotonic() + pauseMs * jitter(clock)))
    },
    stop() {
      planned?.cancel()
      planned = null
      isStopped = true
    },
  }
}

function backOffMs(failures: number, recheckMs: number): number {
  return Math.min(recheckMs, minimumCheckIntervalMs * 2 ** Math.min(failures - 1, 20))
}

/** A tenth either way, so that a fleet started by the same morning does not knock at the same second. */
function jitter(clock: ClockPort): number {
  return 0.9 + clock.random() * 0.2
}
