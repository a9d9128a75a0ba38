import type { Activation, LicenseKey, Validation } from '@latchkey/commerce'
import type { Lease } from './lease-port.ts'

/** An answer that held the schema, with what came beside its body. */
export interface Answer<Value> {
  readonly value: Value
  /** The `Date` header in milliseconds since the epoch; `null` when there was none. */
  readonly serverDateMs: number | null
  /** The lease that came with it: there is one with every *activate* and *validate* where leases are required. */
  readonly lease?: Lease | undefined
  /** Of a list: `false` when part of it could not be read, so that what it lacks may exist all the same. @default true */
  readonly isWhole?: boolean | undefined
}

/** The license routes of the service. Every call rejects with a `CommerceError` and nothing else. */
export interface CommercePort {
  keys(licenseId: string): Promise<Answer<readonly LicenseKey[]>>
  key(licenseId: string, keyId: string): Promise<Answer<LicenseKey>>
  activate(licenseId: string, name: string): Promise<Answer<Activation>>
  validate(licenseId: string, keyId: string): Promise<Answer<Validation>>
  deactivate(licenseId: string, keyId: string): Promise<Answer<unknown>>
}

/** The routes, and an end to them. */
export interface EndableCommercePort extends CommercePort {
  /** Gives up every request under way, and sends none from now on: the app is about to end. */
  end?(): void
}
