import type { License } from '@latchkey/commerce'

/** A license as a rule sees it. */
export interface ServedLicense extends License {
  /** The service that sold it, such as `polar`; `commerce` for the commerce service. */
  readonly service: string
  /** The service's ID of the product, or of Polar's benefit; `null` if the service doesn't tell. */
  readonly product: string | null
  /** The plan, edition or variant in your words, or the ID of what was bought where it has no name; `null` if the service doesn't tell. */
  readonly plan: string | null
  /** What the license includes, in your words; empty if the service doesn't tell. */
  readonly features: readonly string[]
}

/** The vendor's own rule about licenses. */
export type AllowRule = (license: ServedLicense) => boolean | Promise<boolean>
