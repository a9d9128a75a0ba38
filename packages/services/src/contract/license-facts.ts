/** What a service reports about a license. `null` always means that it doesn't report this. */
export interface LicenseFacts {
  /** The service's ID of the license, which isn't the license key. */
  readonly id: string | null
  /**
   * `null` if the service only reports that the activation is valid, or reports a status that is new to the adapter.
   */
  readonly status: LicenseStatus | null
  /** The service's own word for a status that the contract doesn't have. @default `status` */
  readonly rawStatus?: string | undefined
  /** When it was suspended, in milliseconds since the epoch. `undefined` means the same as `null`. */
  readonly suspendedAtMs?: number | null | undefined
  /** When it was created, in milliseconds since the epoch. `undefined` means the same as `null`. */
  readonly createdAtMs?: number | null | undefined
  /** When it was last changed, in milliseconds since the epoch. `undefined` means the same as `null`. */
  readonly updatedAtMs?: number | null | undefined
  /** When the license ends, in milliseconds since the epoch; `'never'` for a perpetual license. */
  readonly endsAtMs: number | 'never' | null
  /** When the license ends, as the service wrote it: a date without a time stays one. @default `endsAtMs` as a timestamp */
  readonly endsAt?: string | undefined
  /** Whether the service treats the license as valid after its end. */
  readonly worksAfterEnd: boolean
  /** Maximum number of active devices. */
  readonly seatLimit: number | 'unlimited' | null
  /** Number of active devices. */
  readonly seatsInUse: number | null
  /** The service's product ID, or Polar's benefit ID. */
  readonly product: string | null
  /** Name of the plan, edition, or variant, or its ID if it has no name. */
  readonly plan: string | null
  /** The features the license includes. `undefined` means the same as `null`. */
  readonly features?: readonly string[] | null | undefined
  /** Whether it is from the service's test mode. */
  readonly isTest: boolean | null
}

/**
 * What a service says about a license.
 *
 * - `active`: can be used.
 * - `expired`: has ended.
 * - `suspended`: disabled by the vendor, temporarily or permanently.
 * - `inactive`: can't be used, and the service gives no reason.
 */
export type LicenseStatus = 'active' | 'expired' | 'suspended' | 'inactive'

/** The activation of one device. */
export interface Activation {
  /** The service's ID of the activation: any string. UUIDs are compared regardless of case, others exactly. */
  readonly id: string
  /** The device's name, without the fingerprint; `null` if the service doesn't report it. */
  readonly deviceName: string | null
  /** The device's fingerprint; `null` if the service doesn't report it or Latchkey didn't create the activation. */
  readonly fingerprint: string | null
  /** When it was created, in milliseconds since the epoch; `null` if the service doesn't report it. */
  readonly createdAtMs: number | null
  /** When it was last changed, in milliseconds since the epoch. `undefined` means the same as `null`. */
  readonly updatedAtMs?: number | null | undefined
}

/** A license and this device's activation of it. */
export interface ActivatedLicense {
  readonly license: LicenseFacts
  readonly activation: Activation
}

/** The activations of one license. */
export interface ActivationList {
  /** The activations that could be read. */
  readonly activations: readonly Activation[]
  /** Whether the list is complete. If it isn't, an activation that is missing here may still exist. */
  readonly isWhole: boolean
  /** The page to go on with, if reading stopped before the end; `null` or `undefined` if there is none. */
  readonly nextPage?: number | null | undefined
  /** How many items had no readable ID and were skipped; `undefined` if the adapter doesn't count them. */
  readonly unreadableCount?: number | undefined
}
