import type { CheckTrigger } from '../licensing-core.ts'
import type { ClockPort } from '../ports/clock-port.ts'
import { maxRetryAfterMs, type ProblemCause } from '../problem.ts'

/** The shortest time between two automatic checks, in milliseconds. */
export const minimumCheckIntervalMs: number = 5 * 60 * 1000

/** Schedules the automatic checks. */
export interface CheckSchedule {
  /** Checks now, or as soon as enough time has passed since the last check. */
  request(trigger: CheckTrigger): void
  /**
   * Call this after every check, including those the user asked for. Plans the next one.
   *
   * @param usualMs how long to wait for the next one if there was no problem, in milliseconds. @default `recheckMs`
   */
  settled(cause: ProblemCause | null, usualMs?: number): void
  /**
   * Call this after an operation that asked the service but didn't check the license in use, such as a failed activation.
   * The next check may come earlier because of it, but never later.
   */
  attempted(cause: ProblemCause | null, usualMs?: number): void
  stop(): void
}

/** @param recheckMs how often a running app checks while there is no problem, in milliseconds. */
export function createCheckSchedule(clock: ClockPort, recheckMs: number, check: () => void): CheckSchedule {
  let earliestMs = Number.NEGATIVE_INFINITY
  // The limit for a check at an end, which may follow another check at once.
  let earliestAtEndMs = Number.NEGATIVE_INFINITY
  // The first limit on the wall clock, which keeps running while the computer sleeps.
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

  function nextAtMs(usualMs: number): number {
    const pauseMs = failures === 0 ? usualMs : backOffMs(failures, recheckMs)
    return Math.max(earliestMs, clock.monotonic() + pauseMs * jitter(clock))
  }

  function isLongEnoughAgo(trigger: CheckTrigger): boolean {
    if (trigger === 'end' && failures === 0) return clock.monotonic() >= earliestAtEndMs
    return clock.monotonic() >= earliestMs || (trigger === 'resume' && clock.now() >= earliestWallMs)
  }

  return {
    request(trigger) {
      if (isStopped) return
      // A check was already requested while the app was starting.
      if (trigger === 'launch' && hasBegun) return
      if (isLongEnoughAgo(trigger)) {
        if (trigger === 'end') earliestAtEndMs = clock.monotonic() + minimumCheckIntervalMs
        start()
      } else if (planned === null || planned.atMs > earliestMs) plan(earliestMs)
    },
    settled(cause, usualMs = recheckMs) {
      hasBegun = true
      failures = cause === null ? 0 : failures + 1
      waitFor(shortestPauseMs(cause))
      plan(nextAtMs(usualMs))
    },
    attempted(cause, usualMs = recheckMs) {
      hasBegun = true
      // Only failed checks make the next ones rarer. The user may try as often as they like.
      if (cause !== null) failures = Math.max(1, failures)
      const pauseMs = shortestPauseMs(cause)
      earliestMs = Math.max(earliestMs, clock.monotonic() + pauseMs)
      earliestWallMs = Math.max(earliestWallMs, clock.now() + pauseMs)
      const atMs = nextAtMs(usualMs)
      if (planned === null || planned.atMs > atMs) plan(atMs)
    },
    stop() {
      planned?.cancel()
      planned = null
      isStopped = true
    },
  }
}

/** How long to wait at least, in milliseconds: as long as the service asked, within limits. */
function shortestPauseMs(cause: ProblemCause | null): number {
  return Math.max(minimumCheckIntervalMs, Math.min(cause?.retryAfterMs ?? 0, maxRetryAfterMs))
}

function backOffMs(failures: number, recheckMs: number): number {
  return Math.min(recheckMs, minimumCheckIntervalMs * 2 ** Math.min(failures - 1, 20))
}

/** Varies the delay by up to 10%, so that many computers started at the same time don't all send requests at once. */
function jitter(clock: ClockPort): number {
  return 0.9 + clock.random() * 0.2
}
