import { maskLicenseKey } from '../../shared/license-key-text.ts'
import type {
  DeviceSummary,
  LicenseSummary,
  LicensingActivity,
  LicensingState,
  LicensingStateBase,
  ReleaseCode,
  StorageTier,
} from '../../shared/licensing-state.ts'
import type { Problem } from '../../shared/problem.ts'
import { formatTimestamp } from '../../shared/timestamp.ts'
import type { ActivationRecord } from '../record/vault.ts'
import type { Entitlement } from './entitlement.ts'
import type { FeaturesOf } from './features-of.ts'

/** The parts of a state. */
export interface StateParts {
  readonly entitlement: Entitlement
  readonly activation: ActivationRecord | null
  /** Frees the seat of the last activation from another device. */
  readonly releaseLink?: string | undefined
  readonly featuresOf: FeaturesOf
  readonly device: DeviceSummary | null
  readonly activity: LicensingActivity
  readonly problem: Problem | null
  readonly storage: StorageTier
}

/** Creates the state that the app and its windows see: plain, frozen, without secrets. */
export function projectState(parts: StateParts): LicensingState {
  const { entitlement, activation, releaseLink, featuresOf, device, activity, problem, storage } = parts
  const base: LicensingStateBase = {
    activity,
    problem,
    storage,
    license: activation === null ? null : summarize(activation, entitlement, featuresOf),
    device,
    checkedAt: activation === null ? null : formatTimestamp(activation.decidedAtMs),
    // Another license that is in use is what matters now.
    ...(activation === null && releaseLink !== undefined && { releaseCode: releaseCodeOf(releaseLink) }),
  }
  return Object.freeze(withStatus(entitlement, base))
}

function releaseCodeOf(link: string): ReleaseCode {
  return { text: link.slice(link.indexOf('#') + 1), link }
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
    endsSoon: 'endsSoon' in entitlement && entitlement.endsSoon,
    plan: license.plan ?? null,
    features: featuresOf(license),
    ...(validUntilMs !== undefined && { validUntil: formatTimestamp(validUntilMs) }),
  }
}
