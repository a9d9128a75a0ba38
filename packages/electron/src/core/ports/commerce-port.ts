import type { Activation, LicenseKey, Validation } from '@latchkey/commerce'
import type { Lease } from './lease-port.ts'

/** A valid answer, with metadata from outside its body. */
export interface Answer<Value> {
  readonly value: Value
  /** The `Date` header in milliseconds since the epoch; `null` if there was none. */
  readonly serverDateMs: number | null
  /** The lease in the answer. If leases are required, every *activate* and *validate* has one. */
  readonly lease?: Lease | undefined
  /** For a list: `false` if part of it could not be read, so a missing item may still exist. @default true */
  readonly isWhole?: boolean | undefined
}

/** The license routes of the service. Every call rejects only with a `CommerceError`. */
export interface CommercePort {
  keys(licenseId: string): Promise<Answer<readonly LicenseKey[]>>
  key(licenseId: string, keyId: string): Promise<Answer<LicenseKey>>
  activate(licenseId: string, name: string): Promise<Answer<Activation>>
  /** @param fingerprint this device's, for a gateway in front of a service that asks for it. */
  validate(licenseId: string, keyId: string, fingerprint?: string): Promise<Answer<Validation>>
  deactivate(licenseId: string, keyId: string, fingerprint?: string): Promise<Answer<unknown>>
}

/** The routes, plus a way to end them. */
export interface EndableCommercePort extends CommercePort {
  /** Cancels all pending requests and sends no more, because the app is about to quit. */
  end?(): void
}
