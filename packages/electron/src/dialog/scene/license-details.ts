import type { LicenseSummary } from '../../shared/licensing-state.ts'
import type { SceneDetail } from './scene.ts'
import type { Translator } from './translator.ts'

/** Beyond this number, seats aren't drawn one by one. */
const mostPips = 10

/** One line of the details. */
export function detail(
  label: string,
  value: string,
  isCode = false,
  seats: SceneDetail['seats'] = null,
): SceneDetail {
  return { label, value, isCode, seats }
}

/**
 * Returns the details of a license.
 *
 * @param device this device's name; `null` to omit it.
 * @param hasEnded whether its end has passed. If it is still active, it no longer covers new versions.
 */
export function licenseDetails(
  license: LicenseSummary | null,
  device: string | null,
  { text, number, date }: Translator,
  hasEnded = false,
): readonly SceneDetail[] {
  const ofDevice = device ? [detail(text('thisDevice'), device)] : []
  if (license === null) return ofDevice
  const { maskedKey, activationUsage: used, activationLimit: limit, expiresAt, isEndUnknown } = license
  const usage = used && limit ? text('usedOfLimit', { used: number(used), limit: number(limit) }) : null
  const seats = used && limit && limit <= mostPips ? { used, limit } : null
  return [
    detail(text('keyLabel'), maskedKey, true),
    ...ofDevice,
    ...(usage ? [detail(text('devicesInUse'), usage, false, seats)] : []),
    ...(isEndUnknown
      ? []
      : [
          detail(
            text(hasEnded ? 'updatesUntil' : 'validUntil'),
            expiresAt ? date(expiresAt) : text('noEndDate'),
          ),
        ]),
  ]
}

/** A sentence about the end of a license, by its key. @param expiresAt `null` if the service doesn't say when it ended */
export function endSentence(
  key: 'endsSoonLead' | 'expiredLead' | 'notCoveredLead',
  expiresAt: string | null,
  { text, date, problem }: Translator,
): string {
  return expiresAt === null ? problem({ code: 'license-expired' }) : text(key, { date: date(expiresAt) })
}

const dayMs = 86_400_000

/** Returns the days until a time, rounded up; 0 if it has passed or isn't a timestamp. */
export function daysUntil(timestamp: string, nowMs: number): number {
  return Math.max(0, Math.ceil((Date.parse(timestamp) - nowMs) / dayMs)) || 0
}
