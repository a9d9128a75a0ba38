import type { FoundLicenseKey } from '../text/find-license-key.ts'
import type { ActivatedLicense, ActivationList, LicenseFacts } from './license-facts.ts'
import type { Outcome } from './outcome.ts'
import type { ServiceCall } from './service-call.ts'

/**
 * A licensing service, the same for all of them. It keeps no state between calls, never throws from a call, and sends
 * nothing by itself.
 *
 * @example
 * ```ts
 * const service = polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' })
 * const found = service.findLicenseKey(pastedText)
 * if (!found.ok) return found.code
 * const device = { deviceName: 'Ada’s laptop', fingerprint: '0123456789abcdef' }
 * const outcome = await service.activate({ licenseKey: found.licenseKey, ...device })
 * ```
 */
export interface LicenseService {
  /** Such as `polar`. For logs: decide by {@link LicenseService.capabilities}. */
  readonly name: string
  /** Address that requests go to. For reports and logs. */
  readonly baseUrl: string
  readonly capabilities: ServiceCapabilities
  readonly links: ServiceLinks
  /** Names of the options in use that hold a vendor's secret. An app that ships to users must have none. */
  readonly vendorSecrets: readonly string[]

  /** Finds the license key in whatever was pasted, in the exact form to send. */
  findLicenseKey(text: string): FoundLicenseKey

  /**
   * Takes a seat for this device. A seat may have been taken unless the outcome is a refusal, or unavailable with
   * `mayHaveActed: false`.
   */
  activate(request: ActivateRequest, call?: ServiceCall): Promise<Outcome<ActivatedLicense>>
  /** Asks whether this device's activation is still good. */
  validate(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<ActivatedLicense>>
  /** Frees a seat. An answer means that the activation is gone; so does the refusal `unknown-activation`. */
  deactivate(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<null>>

  /** Lists the license's activations. Only where `capabilities.listsActivations`. */
  listActivations?(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<ActivationList>>
  /** Asks about the license alone, without an activation. Not every service can. */
  showLicense?(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<LicenseFacts>>
  /**
   * Reads a kept `proof` again, offline. Only where `capabilities.signsItsAnswers`.
   * @returns `null` unless it is signed by this service and about this license and device.
   */
  readProof?(proof: string, request: DeviceRequest, call?: ServiceCall): Promise<SignedAnswer | null>
}

/** What a service can do. Code decides by these, never by a service's name. */
export interface ServiceCapabilities {
  /** It lists a license's activations: a lost one is found again, and a missing one is proven gone. */
  readonly listsActivations: boolean
  /** Activating twice with one fingerprint takes one seat. */
  readonly idempotentByFingerprint: boolean
  /** It tells when a license ends, so that the end is known offline. */
  readonly tellsTheEnd: boolean
  /** Its answers are signed and verified. */
  readonly signsItsAnswers: boolean
  /**
   * `showLicense` tells how many devices are active, so that the number before and after a lost answer shows whether a
   * seat was taken.
   * @default false
   */
  readonly tellsSeatsInUse?: boolean | undefined
}

/** Pages for people. */
export interface ServiceLinks {
  /** Where a customer sees the license and its devices; `null` when there is no such page or it isn't known. */
  readonly customerPortal: string | null
}

/** One license. */
export interface LicenseRequest {
  /** Exactly as `findLicenseKey` gave it. */
  readonly licenseKey: string
}

/** A license and a device. */
export interface DeviceRequest extends LicenseRequest {
  /** 16 hex digits that stand for the device. */
  readonly fingerprint: string
}

/** What it takes to activate. */
export interface ActivateRequest extends DeviceRequest {
  /** The device's name as people know it. */
  readonly deviceName: string
  /**
   * Whether a license key of the service's test mode may be activated, where the service tells them apart.
   * @default true
   */
  readonly allowsTestLicense?: boolean | undefined
}

/** What it takes to ask about an activation. */
export interface ActivationRequest extends DeviceRequest {
  /** `id` of the activation. */
  readonly activationId: string
}

/** What a kept proof says. */
export interface SignedAnswer {
  readonly license: LicenseFacts
  /** When the service signed it, in milliseconds since the epoch. */
  readonly signedAtMs: number
}
