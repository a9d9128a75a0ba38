import type { LicensingState, StorageTier } from '@latchkey/electron/renderer'
import type { FoundUpdate } from '../shared/notebook-bridge.ts'

// A format takes a few milliseconds to create, and the page shows no date while it starts.
let dayFormat: Intl.DateTimeFormat | undefined
let momentFormat: Intl.DateTimeFormat | undefined

function dayText(time: string | Date): string {
  dayFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
  return dayFormat.format(new Date(time))
}

function momentText(time: string): string {
  momentFormat ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  return momentFormat.format(new Date(time))
}

/** Describes the status in a few words. */
export function statusText(state: LicensingState): string {
  switch (state.status) {
    case 'active':
      return state.license?.validUntil
        ? `Licensed without internet until ${dayText(state.license.validUntil)}`
        : 'Licensed'
    case 'grace':
      return `Licensed, offline until ${dayText(state.graceEndsAt)}`
    case 'trial':
      return `Trial until ${dayText(state.trialEndsAt)}`
    case 'unlicensed':
      return 'Not activated'
    case 'unverified':
      return 'Needs a connection once'
    case 'expired':
      return 'License expired'
    case 'not-covered':
      return 'License doesn’t cover this version'
    case 'suspended':
      return 'License suspended'
    case 'inactive':
      return `License ${state.rawStatus.toLowerCase()}`
    case 'revoked':
      return 'Moved to another device'
  }
}

/** Describes how the record on disk is protected. */
export const storageTexts: Readonly<Record<StorageTier, string>> = {
  keychain: 'in the system keychain',
  basic: 'encrypted without a keychain',
  plain: 'in a plain file',
  memory: 'in memory only',
}

/** Describes when the service last answered. */
export function lastCheckText({ checkedAt }: LicensingState): string {
  return checkedAt === null ? 'never' : momentText(checkedAt)
}

/** Describes when the license ends. */
export function endText({ license }: LicensingState): string {
  if (!license?.expiresAt) return license ? 'no end date' : 'none'
  const end = dayText(license.expiresAt)
  return license.endsSoon ? `${end}, soon` : end
}

/** How long before its end an activation without internet asks to be renewed, in milliseconds. */
const noticeMs = 10 * 86_400_000

/** Says how to renew an activation without internet in its last ten days; `null` at other times. */
export function renewalText({ license }: LicensingState, nowMs: number): string | null {
  const end = license?.validUntil === undefined ? null : new Date(license.validUntil)
  if (end === null || end.getTime() - nowMs > noticeMs) return null
  return `Activation without internet ends on ${dayText(end)}. Connect to the internet once, or activate without internet again.`
}

/** Describes the result of an update check. */
export function updateText(update: FoundUpdate | null): string {
  if (update === null) return 'Inkwell is up to date.'
  return update.isCovered
    ? `Inkwell ${update.version} is available.`
    : `Inkwell ${update.version} is available, but your license doesn’t cover it.`
}

/** Describes the seats in use. Some services state only one of the two numbers. */
export function seatsText({ license }: LicensingState): string | null {
  if (license === null) return 'none'
  const { activationUsage: used, activationLimit: limit } = license
  if (used === null) return limit === null ? null : `up to ${limit}`
  return limit === null ? `${used} in use` : `${used} of ${limit} in use`
}
