/** What a service says about a license. `null` always means "not told". */
export interface LicenseFacts {
  /** The service's own ID of the license, which isn't the license key; `null` when it isn't told. */
  readonly id: string | null
  /** The service's word about the license. `null`: it only said that the activation is good. */
  readonly status: LicenseStatus | null
  /** The end in milliseconds since the epoch; `'never'` for a license without end. */
  readonly endsAtMs: number | 'never' | null
  /** Whether the service keeps calling the license valid after its end. */
  readonly worksAfterEnd: boolean
  /** How many devices may be active at once. */
  readonly seatLimit: number | 'unlimited' | null
  /** How many devices are active now. */
  readonly seatsInUse: number | null
  /** The service's ID of what was bought: a product, or Polar's benefit. */
  readonly product: string | null
  /** The plan, edition or variant in the vendor's words, or the ID of what was bought where it has no name. */
  readonly plan: string | null
  /** What the license includes, in the vendor's words. Absent means not told, like `null`. */
  readonly features?: readonly string[] | null | undefined
  /** Whether it was bought in the service's test mode. */
  readonly isTest: boolean | null
}

/**
 * - `active`: may be used.
 * - `expired`: its end has passed.
 * - `suspended`: the vendor switched it off for the time being, or for good.
 * - `inactive`: not in force, and the service doesn't say more.
 */
export type LicenseStatus = 'active' | 'expired' | 'suspended' | 'inactive'

/** One device's use of a license at the service. */
export interface Activation {
  /** The service's ID of it: any text, compared exactly. */
  readonly id: string
  /** The device's name, without the fingerprint; `null` when it isn't told. */
  readonly deviceName: string | null
  /** The device's fingerprint; `null` when it isn't told or wasn't made by Latchkey. */
  readonly fingerprint: string | null
  /** When it was made, in milliseconds since the epoch. */
  readonly createdAtMs: number | null
}

/** A license and this device's activation of it. */
export interface ActivatedLicense {
  readonly license: LicenseFacts
  readonly activation: Activation
}

/** The activations of one license. */
export interface ActivationList {
  readonly activations: readonly Activation[]
  /** Whether this is the whole list. When it isn't, an activation that is missing here may still exist. */
  readonly isWhole: boolean
}
