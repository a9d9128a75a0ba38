import type { Desk } from './desk.ts'
import { emptyVault } from './vault.ts'

const longestPauseMs = 60 * 60 * 1000
const shortestPauseMs = 1000

/** Notices what time alone changes (grace over, trial over, license expired) and keeps the mark on disk. */
export function keepTime(desk: Desk): { start(): void; stop(): void } {
  const { clock } = desk.ports
  let cancel: (() => void) | null = null
  let unsubscribe: (() => void) | null = null

  function plan(): void {
    cancel?.()
    const changesInMs = (desk.standing().changesAtMs ?? Number.POSITIVE_INFINITY) - desk.nowMs()
    const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, changesInMs))
    cancel = clock.after(pauseMs, () => {
      desk.publish()
      plan()
      if (isWorthKeeping(desk)) void desk.save()
    })
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
