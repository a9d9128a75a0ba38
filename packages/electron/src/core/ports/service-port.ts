import type { Activation, LicenseKey, Validation } from '@latchkey/commerce'
import type { FoundLicenseKey, ServiceCapabilities } from '@latchkey/services'
import type { Answer } from './commerce-port.ts'

/** What a service needs to know about a device. */
export interface DeviceOfRequest {
  /** 16 hex digits: the fingerprint that the activation was made with. */
  readonly fingerprint: string
  /** The device's name as people know it. */
  readonly label: string
}

/**
 * The licensing service, whichever it is. Every call rejects with a `CommerceError`, or with a `ServiceFailure` where
 * an adapter of `@latchkey/services` is behind it; with nothing else.
 *
 * License keys and ids are any text. Decisions depend on `capabilities`, never on which service it is.
 */
export interface ServicePort {
  /** @default the commerce service's: it lists activations, and nothing else of these. */
  readonly capabilities?: ServiceCapabilities | undefined
  /** Finds the license key in whatever was pasted. @default finds a UUID */
  findLicenseKey?(text: string): FoundLicenseKey
  /** Lists the activations. Called only where `capabilities.listsActivations`. */
  keys(licenseId: string): Promise<Answer<readonly LicenseKey[]>>
  /** Shows one activation. Absent where the port proves by itself what it answers. */
  key?(licenseId: string, keyId: string): Promise<Answer<LicenseKey>>
  /** @param name device name and fingerprint in one text, for a service that knows only names. */
  activate(licenseId: string, name: string, device: DeviceOfRequest): Promise<Answer<Activation>>
  validate(licenseId: string, keyId: string, fingerprint: string): Promise<Answer<Validation>>
  deactivate(licenseId: string, keyId: string, fingerprint: string): Promise<Answer<unknown>>
  /** Cancels every request under way, and sends none from now on: the app is about to end. */
  end?(): void
}

/** Whether the service lists a license's activations, so that a lost one is found again and a missing one is proven gone. */
export function listsActivations({ capabilities }: ServicePort): boolean {
  return capabilities?.listsActivations ?? true
}

/** Whether activating twice with one fingerprint takes one seat. */
export function isIdempotent({ capabilities }: ServicePort): boolean {
  return capabilities?.idempotentByFingerprint ?? false
}
