import type { Activation } from '@latchkey/services'

const dayMs = 86_400_000

/** Starts the name of a device that was activated without internet. A longer mark would leave no room for the name. */
const mark = '✈ '

/** Returns the device name for an activation without internet. The gateway stores nothing, so the name carries the mark. */
export function markedName(deviceName: string): string {
  return `${mark}${deviceName}`
}

/** Returns a device name without the mark. */
export function unmarkedName(deviceName: string): string {
  return deviceName.startsWith(mark) ? deviceName.slice(mark.length) : deviceName
}

/**
 * Returns until when a device may run on an answer, in milliseconds since the epoch: nobody but its user and your support
 * can free its seat before, because the answer can't be taken back. `null` if it wasn't activated without internet.
 *
 * @param days how many days an answer is valid.
 */
export function offlineUntilMs({ deviceName, createdAtMs }: Activation, days: number): number | null {
  if (deviceName === null || !deviceName.startsWith(mark)) return null
  // A request that is sent again within a day gets an answer for the same activation.
  return createdAtMs === null ? Number.MAX_SAFE_INTEGER : createdAtMs + (days + 1) * dayMs
}

/** Whether an answer may be about an activation that exists. An older one would run longer than its name says. */
export function mayAnswerFor({ deviceName, createdAtMs }: Activation, nowMs: number): boolean {
  if (deviceName === null || !deviceName.startsWith(mark)) return false
  return createdAtMs === null || nowMs - createdAtMs < dayMs
}
