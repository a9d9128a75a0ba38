import type { Desk } from './desk.ts'
import { emptyVault } from './vault.ts'

const longestPauseMs = 60 * 60 * 1000
const shortestPauseMs = 1000

/**
 * Notices what time alone changes (grace over, trial over, license expired) and keeps the mark on disk.
 *
 * @param onClockBehind called when the wall clock was found set back: a check tells what time it is.
 */
export function keepTime(desk: Desk, onClockBehind: () => void): { start(): void; stop(): void } {
  const { clock } = desk.ports
  let wasBehind = false
  let cancel: (() => void) | null = null
  let unsubscribe: (() => void) | null = null

  function plan(): void {
    cancel?.()
    const changesInMs = (desk.standing().changesAtMs ?? Number.POSITIVE_INFINITY) - desk.nowMs()
    const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, changesInMs))
    cancel = clock.after(pauseMs, () => {
      desk.publish()
      plan()
      if (isWorthKeeping(desk)) void desk.saveMark()
      lookAtClock()
    })
  }

  function lookAtClock(): void {
    const isBehind = desk.isClockBehind()
    if (isBehind && !wasBehind) onClockBehind()
    wasBehind = isBehind
  }

  return {
    start() {
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
