import { isSameId, readFeatures } from '@latchkey/commerce'
import { maskLicenseKey } from '../shared/license-key-text.ts'
import type {
  LicenseReleaseCode,
  LicenseSummary,
  LicensingState,
  LicensingStateBase,
} from '../shared/licensing-state.ts'
import { formatTimestamp } from '../shared/timestamp.ts'
import type { Entitlement } from './entitlement.ts'
import type { Logger } from './ports.ts'
import type { ActivationRecord, LicenseOnRecord, LicenseRecord, Owed } from './record.ts'

/** What the service said about a license. */
export interface LicenseTerms {
  /** `null` if the service reports none. */
  readonly plan: string | null
  /** Empty if the service reports none. */
  readonly features: readonly string[]
  /** How many devices may be active at once; `null` if the service didn't say. */
  readonly activationLimit: number | null
  /** When the license ends, as the service sent it; `null` if it has no end. */
  readonly expiresAt: string | null
}

/** Called after every change. */
export type LicensingListener = (state: LicensingState, previous: LicensingState) => void

/**
 * Creates the state that the app and its windows see: plain, frozen, without secrets.
 *
 * @param showsReleaseCodes whether release codes may be shown.
 */
export function projectState(
  record: LicenseRecord,
  entitlement: Entitlement,
  featuresOf: FeaturesOf,
  showsReleaseCodes: boolean,
  shown: Pick<LicensingStateBase, 'activity' | 'problem' | 'storage' | 'device'>,
): LicensingState {
  const { activation } = record
  const releaseCodes = showsReleaseCodes ? releaseCodesOf(record) : []
  const [latest] = releaseCodes
  const base: LicensingStateBase = {
    ...shown,
    license: activation === null ? null : summarize(activation, entitlement, featuresOf),
    checkedAt: activation === null ? null : formatTimestamp(activation.decidedAtMs),
    ...(activation === null && latest && { releaseCode: { text: latest.text, link: latest.link } }),
    ...(latest && { releaseCodes }),
  }
  return Object.freeze(withStatus(entitlement, base))
}

/**
 * The seats that only a release code can free from here, the one that was owed last first. A license has at most one: the
 * page frees its earlier seats before it answers a later request. The license in use has none.
 */
function releaseCodesOf({ activation, owed }: LicenseRecord): readonly LicenseReleaseCode[] {
  const latest = owed.filter(hasReleaseCode).toReversed()
  return latest
    .filter(({ licenseKey }, index) => {
      const isInUse = activation !== null && isSameId(activation.licenseKey, licenseKey)
      return !isInUse && latest.findIndex((entry) => isSameId(entry.licenseKey, licenseKey)) === index
    })
    .map(({ licenseKey, releaseLink: link }) => ({
      text: link.slice(link.indexOf('#') + 1),
      link,
      maskedKey: maskLicenseKey(licenseKey),
    }))
}

/** Whether a release code frees this seat from another device. */
export function hasReleaseCode(
  entry: Owed,
): entry is Owed & { readonly activationId: string; readonly releaseLink: string } {
  return entry.activationId !== null && entry.releaseLink !== null
}

function withStatus(entitlement: Entitlement, base: LicensingStateBase): LicensingState {
  const { status } = entitlement
  switch (status) {
    case 'trial':
      return { status, entitled: true, trialEndsAt: formatTimestamp(entitlement.changesAtMs), ...base }
    case 'active':
      return { status, entitled: true, ...base }
    case 'grace':
      return { status, entitled: true, graceEndsAt: formatTimestamp(entitlement.graceEndsAtMs), ...base }
    case 'inactive':
      return { status, entitled: false, rawStatus: entitlement.rawStatus, ...base }
    default:
      return { status, entitled: false, ...base }
  }
}

function summarize(
  { licenseKey, license }: ActivationRecord,
  entitlement: Entitlement,
  featuresOf: FeaturesOf,
): LicenseSummary {
  const validUntilMs = 'validUntilMs' in entitlement ? entitlement.validUntilMs : undefined
  const { activationLimit, activationUsage, expiresAt, isEndUnknown, plan, licensee } = license
  return {
    maskedKey: maskLicenseKey(licenseKey),
    activationLimit,
    activationUsage,
    expiresAt,
    ...(expiresAt === null && isEndUnknown && { isEndUnknown }),
    endsSoon: 'endsSoon' in entitlement && entitlement.endsSoon,
    plan,
    ...(licensee !== null && { licensee }),
    features: featuresOf(license),
    ...(validUntilMs !== undefined && { validUntil: formatTimestamp(validUntilMs) }),
  }
}

/** Returns the features of a license. */
export type FeaturesOf = (license: LicenseOnRecord) => readonly string[]

/**
 * Creates the function that decides which features a license includes: those that the service reported, or what the app's
 * own rule makes of the license. The rule is called once for each answer. If it fails, there are no features.
 */
export function createFeaturesOf(
  rule: ((license: LicenseTerms) => readonly string[]) | undefined,
  logger: Logger,
): FeaturesOf {
  const known = new WeakMap<LicenseOnRecord, readonly string[]>()
  return (license) => {
    const { plan, features, activationLimit, expiresAt } = license
    if (rule === undefined) return features
    const earlier = known.get(license)
    if (earlier !== undefined) return earlier
    let read: readonly string[] = []
    try {
      const told = readFeatures(rule({ plan, features, activationLimit, expiresAt }))
      if (told === undefined) throw new TypeError('it must return an array of text')
      read = told
    } catch (error) {
      logger.error(`The option features failed, so no feature is available: ${error}`)
    }
    known.set(license, read)
    return read
  }
}

/** The listeners for state changes. */
export interface Listeners {
  /** Calls every listener. One that throws doesn't affect the others. */
  tell(state: LicensingState, previous: LicensingState): void
  subscribe(listener: LicensingListener): () => void
}

export function createListeners(logger: Logger): Listeners {
  const listeners = new Set<LicensingListener>()
  const untold: (readonly [LicensingState, LicensingState])[] = []

  function call(listener: LicensingListener, state: LicensingState, previous: LicensingState): void {
    try {
      listener(state, previous)
    } catch (error) {
      logger.error(`A licensing listener threw: ${error instanceof Error ? error.message : typeof error}`)
    }
  }

  return {
    tell(state, previous) {
      untold.push([state, previous])
      // If a listener causes a change, the others still get the earlier change first.
      if (untold.length > 1) return
      for (; untold[0] !== undefined; untold.shift()) {
        for (const listener of [...listeners]) call(listener, ...untold[0])
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
