import type { DeviceRecord } from './device-record.ts'
import { coveredUntilMs, type Entitlement, type EntitlementRules } from './entitlement.ts'
import type { ClockPort } from './ports.ts'
import { maxRetryAfterMs, type ProblemCause } from './problem.ts'
import type { ActivationRecord } from './record.ts'

/** What triggered a check that the user didn't ask for: `end` is that of a license, lease or grace. */
export type CheckTrigger = 'launch' | 'timer' | 'end' | 'resume' | 'online'

/** The shortest time between two automatic checks, in milliseconds. */
const minimumCheckIntervalMs: number = 5 * 60 * 1000

/** Schedules the automatic checks. */
export interface CheckSchedule {
  /** Checks now, or as soon as enough time has passed since the last check. */
  request(trigger: CheckTrigger): void
  /**
   * Call this after everything that asked the service. Plans the next check.
   *
   * @param usualMs how long to wait for the next one if there was no problem, in milliseconds. @default `recheckMs`
   * @param hasChecked whether it was a check of the license in use. After anything else, such as a failed activation, the next
   * check may come earlier, but never later. @default true
   */
  settled(cause: ProblemCause | null, usualMs?: number, hasChecked?: boolean): void
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
    waitFor(minimumCheckIntervalMs)
    check()
  }

  function waitFor(pauseMs: number): void {
    earliestMs = Math.max(earliestMs, clock.monotonic() + pauseMs)
    earliestWallMs = Math.max(earliestWallMs, clock.now() + pauseMs)
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
      if (trigger === 'launch' && Number.isFinite(earliestMs)) return
      if (isLongEnoughAgo(trigger)) {
        if (trigger === 'end') earliestAtEndMs = clock.monotonic() + minimumCheckIntervalMs
        start()
      } else if (planned === null || planned.atMs > earliestMs) plan(earliestMs)
    },
    settled(cause, usualMs = recheckMs, hasChecked = true) {
      // Only failed checks make the next ones rarer. The user may try as often as they like.
      if (hasChecked) failures = cause === null ? 0 : failures + 1
      else if (cause !== null) failures = Math.max(1, failures)
      waitFor(Math.max(minimumCheckIntervalMs, Math.min(cause?.retryAfterMs ?? 0, maxRetryAfterMs)))
      const atMs = nextAtMs(usualMs)
      if (hasChecked || planned === null || planned.atMs > atMs) plan(atMs)
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

/** Varies the delay by up to 10%, so that many computers started at the same time don't all send requests at once. */
function jitter(clock: ClockPort): number {
  return 0.9 + clock.random() * 0.2
}

/** Checks again within the hour while an answer may change soon, even with jitter. */
const soonMs = 50 * 60 * 1000

/**
 * How long to wait for the next check after a definite answer, in milliseconds. The schedule has a minimum of its own.
 *
 * @param activation `null` if this device isn't activated.
 * @param nowMs the high-water mark.
 */
export function pauseBeforeCheckMs(
  activation: ActivationRecord | null,
  entitlement: Entitlement,
  nowMs: number,
  { recheckMs, renewalGraceMs }: Pick<EntitlementRules, 'recheckMs' | 'renewalGraceMs'>,
): number {
  if (activation === null) return recheckMs
  const isEndInDoubt = 'isEndInDoubt' in entitlement && entitlement.isEndInDoubt
  // A service may list from an outdated copy, so a lost activation is looked for again soon.
  const isFreshlyLost =
    activation.verdict === 'revoked' && nowMs - activation.decidedAtMs < 24 * 60 * 60 * 1000
  if (isEndInDoubt || isFreshlyLost) return Math.min(soonMs, recheckMs)
  const isLocked = entitlement.status === 'expired' || entitlement.status === 'not-covered'
  const endedForMs = nowMs - coveredUntilMs(activation)
  if (!isLocked || endedForMs < 0 || endedForMs >= renewalGraceMs) return recheckMs
  // A service may learn of a renewal a little later. The longer it takes, the less often it is asked.
  return Math.min(endedForMs, soonMs, recheckMs)
}

const leastRecheckMs = 6 * 60 * 1000

/**
 * How often to check while the app runs, in milliseconds: at least twice within grace. With a longer pause, one failed check
 * would lock out a user whose last check succeeded. Without grace, every failed check does.
 */
export function recheckWithinGrace(recheckMs: number, graceMs: number): number {
  return graceMs === 0 ? recheckMs : Math.min(recheckMs, Math.max(leastRecheckMs, graceMs / 2))
}

const longestLookMs = 60 * 60 * 1000
const shortestLookMs = 1000
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
  record: DeviceRecord,
  clock: ClockPort,
  askService: (trigger: CheckTrigger) => void,
): { start(): void; stop(): void } {
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
    const endsAtMs = record.entitlement().changesAtMs ?? Number.POSITIVE_INFINITY
    const endsInMs = endsAtMs - record.time.nowMs()
    const nextMs = endsInMs <= aheadMs ? endsInMs : endsInMs - aheadMs
    const nextLookMs = lookedAtMs + longestLookMs - clock.monotonic()
    cancel = clock.after(Math.max(shortestLookMs, Math.min(nextLookMs, nextMs)), () => look(endsAtMs))
  }

  function look(endsAtMs: number): void {
    lookedAtMs = clock.monotonic()
    const endsInMs = endsAtMs - record.time.nowMs()
    const isActivated = record.current.activation !== null
    const isAhead = endsInMs <= aheadMs && endsInMs > 0 && endsAtMs !== foreseenMs
    if (isAhead) foreseenMs = endsAtMs
    record.publish()
    plan()
    void record.saveTime()
    const isBehind = record.time.isBehind()
    if (isActivated && endsInMs <= 0) {
      cancelAtEnd?.()
      cancelAtEnd = clock.after(afterMs, () => askService('end'))
    }
    if ((isActivated && isAhead) || (isBehind && !wasBehind)) askService('timer')
    wasBehind = isBehind
  }

  return {
    start() {
      lookedAtMs = clock.monotonic()
      plan()
      unsubscribe = record.subscribe(plan)
    },
    stop() {
      cancel?.()
      cancelAtEnd?.()
      unsubscribe?.()
    },
  }
}
