import type { LicensingClient } from '../../renderer/licensing-client.ts'
import { noop } from '../noop.ts'
import type { SessionTimers } from './wait-clock.ts'

/** How long the screen says that the details for support were copied, in milliseconds. */
const copiedMs = 3_000

/** Copies the details for support. @param onCopied called with `true` once they are, and with `false` later */
export function copyDetails(
  client: LicensingClient,
  timers: SessionTimers,
  onCopied: (isCopied: boolean) => void,
): void {
  client.copyDiagnosis().then(() => {
    onCopied(true)
    timers.after(copiedMs, () => onCopied(false))
  }, noop)
}
