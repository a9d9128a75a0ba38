import type { Activation, License, LicenseKey, Validation } from '@latchkey/commerce'
import type { FoundLicenseKey, ServiceCapabilities } from '@latchkey/services'
import type { Answer } from './commerce-port.ts'

/** A license in an answer. */
export interface ReportedLicense extends License {
  /** Whether the service doesn't tell when the license ends. Then `expires_at` is `null`, as without an end. */
  readonly isEndUnknown?: boolean | undefined
}

/** What a service needs to know about a device. */
export interface DeviceOfRequest {
  /** 16 hex digits: the fingerprint that the activation was made with. */
  readonly fingerprint: string
  /** The device's readable name. */
  readonly label: string
}

/** The form of the license keys and IDs that a service takes. */
export type IdForm = 'uuid' | 'any'

/**
 * A licensing service. Every call rejects only with a `CommerceError`, or with a `ServiceFailure` if it is behind an
 * adapter of `@latchkey/services`.
 *
 * License keys and ids can be any text. Decisions depend on `capabilities`, never on the kind of service.
 */
export interface ServicePort {
  /**
   * Which service it is, such as `polar`; only to notice that an app moved to another one. Absent for the commerce
   * service and for a gateway, which can be in front of any service.
   */
  readonly name?: string | undefined
  /** The form of its license keys and IDs, if it has no name. @default 'any' */
  readonly ids?: IdForm | undefined
  /** @default the commerce service's capabilities: it lists activations, and has none of the others. */
  readonly capabilities?: ServiceCapabilities | undefined
  /** Finds the license key in pasted text. @default finds a UUID */
  findLicenseKey?(text: string): FoundLicenseKey
  /** Lists the activations. Called only if `capabilities.listsActivations` is set. */
  keys(licenseId: string): Promise<Answer<readonly LicenseKey[]>>
  /** Shows one activation. Absent if the port proves its answers on its own. */
  key?(licenseId: string, keyId: string): Promise<Answer<LicenseKey>>
  /**
   * How many seats are in use; `null` if the answer doesn't tell. Absent if the service doesn't tell it without an
   * activation.
   */
  seatsInUse?(licenseId: string): Promise<Answer<number | null>>
  /** @param name device name and fingerprint in one text, for services that only store names. */
  activate(licenseId: string, name: string, device: DeviceOfRequest): Promise<Answer<Activation>>
  validate(licenseId: string, keyId: string, fingerprint: string): Promise<Answer<Validation>>
  deactivate(licenseId: string, keyId: string, fingerprint: string): Promise<Answer<unknown>>
  /** Cancels all pending requests and sends no more, because the app is about to quit. */
  end?(): void
}

/** Whether the service lists a license's activations, so that a lost one is found and a missing one is proven gone. */
export function listsActivations({ capabilities }: ServicePort): boolean {
  return capabilities?.listsActivations ?? true
}

/** Whether activating twice with the same fingerprint takes only one seat. */
export function isIdempotent({ capabilities }: ServicePort): boolean {
  return capabilities?.idempotentByFingerprint ?? false
}
