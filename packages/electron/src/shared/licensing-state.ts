import type { Problem } from './problem.ts'

/**
 * The license status. The app may run with `trial`, `active` and `grace`, and not with the others: `entitled` says the
 * same.
 *
 * - `unlicensed`: nothing is activated on this device.
 * - `trial`: the trial that `trialDays` allows, until `trialEndsAt`.
 * - `active`: the service's last answer was valid, or the license has ended and still covers this build
 *   (`expiry: 'updates'`).
 * - `grace`: the last answer was valid and the service is unreachable, or the license's end has passed and a renewal
 *   couldn't be checked. Lasts until `graceEndsAt`.
 * - `unverified`: grace is over. One successful check brings back `active`, without entering the key again.
 * - `expired`: the license has ended.
 * - `not-covered`: with `expiry: 'updates'`, the license ended before this build was released. Earlier builds may run.
 * - `suspended`: the vendor suspended the license.
 * - `inactive`: the service reports a status that is none of these. `rawStatus` is that status, unchanged.
 * - `revoked`: this device's activation no longer exists, because its seat was freed from another device.
 */
export type LicensingStatus =
  | 'unlicensed'
  | 'trial'
  | 'active'
  | 'grace'
  | 'unverified'
  | 'expired'
  | 'not-covered'
  | 'suspended'
  | 'inactive'
  | 'revoked'

/** The operation that is running now; `idle` if there is none. */
export type LicensingActivity = 'idle' | 'activating' | 'validating' | 'deactivating'

/**
 * How the record on disk is protected.
 *
 * - `keychain`: encrypted with a key from the operating system's keychain.
 * - `basic`: encrypted, but with a key that any program of this user can derive (Linux without a keyring).
 * - `plain`: readable. An HMAC bound to this device and app reveals edits.
 * - `memory`: the record can't be written. Changes since the last write are lost when the app quits.
 */
export type StorageTier = 'keychain' | 'basic' | 'plain' | 'memory'

/** The license facts that a window may see: never the full license key. */
export interface LicenseSummary {
  /** First and last characters of the license key, enough to recognize it: `1f0a••••9c1d`. */
  readonly maskedKey: string
  /** Maximum number of devices, from the service's last answer; `null` if it didn't state one. */
  readonly activationLimit: number | null
  /** Number of devices in use, from the service's last answer; `null` if it didn't state one. */
  readonly activationUsage: number | null
  /** When the license ends, ISO 8601 UTC; `null` if it has no end, or `isEndUnknown`. */
  readonly expiresAt: string | null
  /** Whether the service doesn't tell when the license ends, as Dodo Payments without a gateway. Absent if it does. */
  readonly isEndUnknown?: boolean | undefined
  /**
   * Whether the license ends within `renewalNoticeDays`. `false` again as soon as a check finds a renewal, and once the
   * license has ended.
   */
  readonly endsSoon: boolean
  /** The plan, by the service's last answer or your gateway's `plan` rule; `null` if neither names one. */
  readonly plan: string | null
  /** Name of the customer whom the license was sold to. Absent unless the service tells it. */
  readonly licensee?: string | undefined
  /**
   * What the license includes, whether or not this device is entitled: from the service, from your gateway's `features`
   * rule, or from your app's option `features`. To ask for a feature, use `licensing.has`.
   */
  readonly features: readonly string[]
  /**
   * Until when this device is activated without internet, ISO 8601 UTC. Absent unless an answer to an offline request
   * entitles it for longer than the last contact with the service does.
   */
  readonly validUntil?: string | undefined
}

/** This computer, as it appears in a device list. */
export interface DeviceSummary {
  /** Readable name, for example the host name. */
  readonly label: string
  /** 16 hex digits: stable for this machine and app, not linkable across vendors. */
  readonly fingerprint: string
}

/**
 * Proof for the activation page that this device was deactivated. It frees the seat without this device ever going
 * online. It contains no license key that anyone but your gateway can read.
 */
export interface ReleaseCode {
  /** For a file, or to copy. */
  readonly text: string
  /** The address of the activation page with the code, for a QR code. */
  readonly link: string
}

/** One of several release codes, and the license whose seat it frees. */
export interface LicenseReleaseCode extends ReleaseCode {
  /** The license key with only its first and last characters visible. */
  readonly maskedKey: string
}

/** The fields of every state, regardless of its status. */
export interface LicensingStateBase {
  /** The operation that is running now; `idle` if there is none. */
  readonly activity: LicensingActivity
  /** The last problem, with a stable code and a message that says what to do; `null` if there is none. */
  readonly problem: Problem | null
  /** How the record on disk is protected. */
  readonly storage: StorageTier
  /** The license activated here; `null` if there is none. */
  readonly license: LicenseSummary | null
  /** This computer; `null` until it is first identified. */
  readonly device: DeviceSummary | null
  /** When the service last gave a definite answer, ISO 8601 UTC; `null` if it never did. */
  readonly checkedAt: string | null
  /**
   * Set after a device that was activated without internet was deactivated, until its seat is free or another license
   * is activated here. Show it to the user, as the activation window does. {@link releaseCodes} has earlier ones, too.
   */
  readonly releaseCode?: ReleaseCode | undefined
  /**
   * A code for each license whose seat this device may still have, the latest first: of licenses that were activated
   * here without internet, and then deactivated or replaced by another license. The license in use has none. Absent if
   * there are none.
   */
  readonly releaseCodes?: readonly LicenseReleaseCode[] | undefined
}

/**
 * The licensing state. `entitled` is the only boolean an app needs. The rest is for display. {@link LicensingStatus}
 * explains each status. `trialEndsAt` and `graceEndsAt` are ISO 8601 UTC.
 *
 * A state is plain, frozen data, so that it can be sent over IPC unchanged. A new object means that something changed.
 */
export type LicensingState = LicensingStateBase &
  (
    | { readonly status: 'unlicensed'; readonly entitled: false }
    | { readonly status: 'trial'; readonly entitled: true; readonly trialEndsAt: string }
    | { readonly status: 'active'; readonly entitled: true }
    | { readonly status: 'grace'; readonly entitled: true; readonly graceEndsAt: string }
    | { readonly status: 'unverified'; readonly entitled: false }
    | { readonly status: 'expired'; readonly entitled: false }
    | { readonly status: 'not-covered'; readonly entitled: false }
    | { readonly status: 'suspended'; readonly entitled: false }
    | { readonly status: 'inactive'; readonly entitled: false; readonly rawStatus: string }
    | { readonly status: 'revoked'; readonly entitled: false }
  )

declare global {
  /**
   * Declare the features of your app here, in any `.d.ts` file. Then `licensing.has` accepts only these, in the main
   * process and in windows.
   *
   * @example
   * interface LatchkeyRegister {
   *   feature: 'export' | 'sync'
   * }
   */
  interface LatchkeyRegister {}
}

/** A feature of your app: any text, or what you declared in `LatchkeyRegister`. */
export type Feature = LatchkeyRegister extends { feature: infer Declared extends string } ? Declared : string

/** Whether this device may use a feature: it is entitled by a license that includes it. A trial includes none. */
export function hasFeature(state: LicensingState | null, feature: Feature): boolean {
  return state?.entitled === true && state.license?.features.includes(feature) === true
}
