import { maskLicenseKey } from '../../shared/license-key-text.ts'
import type {
  DeviceSummary,
  LicenseReleaseCode,
  LicenseSummary,
  LicensingActivity,
  LicensingState,
  LicensingStateBase,
  StorageTier,
} from '../../shared/licensing-state.ts'
import type { Problem } from '../../shared/problem.ts'
import { formatTimestamp } from '../../shared/timestamp.ts'
import type { ReleaseWithCode } from '../record/outbox-entries.ts'
import type { ActivationRecord } from '../record/vault.ts'
import type { Entitlement } from './entitlement.ts'
import type { FeaturesOf } from './features-of.ts'

/** The parts of a state. */
export interface StateParts {
  readonly entitlement: Entitlement
  readonly activation: ActivationRecord | null
  /** Seats that a release code frees from another device, the latest first. */
  readonly releases?: readonly ReleaseWithCode[] | undefined
  readonly featuresOf: FeaturesOf
  readonly device: DeviceSummary | null
  readonly activity: LicensingActivity
  readonly problem: Problem | null
  readonly storage: StorageTier
}

/** Creates the state that the app and its windows see: plain, frozen, without secrets. */
export function projectState(parts: StateParts): LicensingState {
  const { entitlement, activation, releases = [], featuresOf, device, activity, problem, storage } = parts
  const releaseCodes = releases.map(releaseCodeOf)
  const [latest] = releaseCodes
  const base: LicensingStateBase = {
    activity,
    problem,
    storage,
    license: activation === null ? null : summarize(activation, entitlement, featuresOf),
    device,
    checkedAt: activation === null ? null : formatTimestamp(activation.decidedAtMs),
    ...(activation === null && latest && { releaseCode: { text: latest.text, link: latest.link } }),
    ...(latest && { releaseCodes }),
  }
  return Object.freeze(withStatus(entitlement, base))
}

function releaseCodeOf({ licenseId, releaseLink: link }: ReleaseWithCode): LicenseReleaseCode {
  return { text: link.slice(link.indexOf('#') + 1), link, maskedKey: maskLicenseKey(licenseId) }
}

function withStatus(entitlement: Entitlement, base: LicensingStateBase): LicensingState {
  switch (entitlement.status) {
    case 'trial':
      return {
        status: 'trial',
        entitled: true,
        trialEndsAt: formatTimestamp(entitlement.changesAtMs),
        ...base,
      }
    case 'active':
      return { status: 'active', entitled: true, ...base }
    case 'grace':
      return {
        status: 'grace',
        entitled: true,
        graceEndsAt: formatTimestamp(entitlement.graceEndsAtMs),
        ...base,
      }
    case 'inactive':
      return { status: 'inactive', entitled: false, rawStatus: entitlement.rawStatus, ...base }
    case 'unlicensed':
    case 'unverified':
    case 'expired':
    case 'not-covered':
    case 'suspended':
    case 'revoked':
      return { status: entitlement.status, entitled: false, ...base }
  }
}

function summarize(
  { licenseId, license }: ActivationRecord,
  entitlement: Entitlement,
  featuresOf: FeaturesOf,
): LicenseSummary {
  const validUntilMs = 'validUntilMs' in entitlement ? entitlement.validUntilMs : undefined
  return {
    maskedKey: maskLicenseKey(licenseId),
    activationLimit: license.activationLimit,
    activationUsage: license.activationUsage,
    expiresAt: license.expiresAt,
    ...(license.expiresAt === null && license.isEndUnknown === true && { isEndUnknown: true }),
    endsSoon: 'endsSoon' in entitlement && entitlement.endsSoon,
    plan: license.plan ?? null,
    features: featuresOf(license),
    ...(validUntilMs !== undefined && { validUntil: formatTimestamp(validUntilMs) }),
  }
}
