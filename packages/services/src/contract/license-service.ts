import type { FoundLicenseKey } from '../text/find-license-key.ts'
import type { ActivatedLicense, Activation, ActivationList, LicenseFacts } from './license-facts.ts'
import type { Outcome } from './outcome.ts'
import type { ServiceCall } from './service-call.ts'

/**
 * The common interface of all licensing services. A user pastes text, `findLicenseKey` finds the license key in it, and
 * `activate` takes a seat for this device. From then on, `validate` checks the activation, and `deactivate` gives the
 * seat back.
 *
 * It stores no activations, its calls never throw or reject, and it only sends requests when it is called. Each call
 * returns an {@link Outcome}: an answer, a refusal for a documented reason, or `unavailable` for anything else. Only an
 * answer and a refusal say something about the license.
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
  /** Name for logs, such as `polar`. In code, check {@link LicenseService.capabilities} instead. */
  readonly name: string
  /** Base URL of the requests, for reports and logs. */
  readonly baseUrl: string
  /** What the service supports. */
  readonly capabilities: ServiceCapabilities
  /** Pages of the service for customers. */
  readonly links: ServiceLinks
  /**
   * Whether the options accept license keys of the service's test mode. `undefined` if the service doesn't distinguish
   * them at one address.
   */
  readonly testMode?: boolean | undefined
  /** Names of the set options that contain a secret. Must be empty in an app that you ship to users. */
  readonly vendorSecrets: readonly string[]

  /** Finds the license key in pasted text of up to 10,000 characters, in the exact form to send. */
  findLicenseKey(text: string): FoundLicenseKey

  /**
   * Activates the license for this device, which uses a seat. After `unavailable`, a seat may be in use unless
   * `mayHaveActed` is `false`. After a refusal, no seat is in use unless it has a `leftoverActivationId`.
   */
  activate(request: ActivateRequest, call?: ServiceCall): Promise<Outcome<ActivatedLicense>>
  /** Checks whether this device's activation is still valid. */
  validate(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<ActivatedLicense>>
  /** Releases a seat. The activation is gone if the outcome is an answer or the refusal `unknown-activation`. */
  deactivate(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<null>>

  /** Lists the license's activations. Only if `capabilities.listsActivations` is true. */
  listActivations?(request: ListRequest, call?: ServiceCall): Promise<Outcome<ActivationList>>
  /**
   * Shows one activation of a license, without checking whether the license can be used. Not every service can. Where
   * the service doesn't document its refusals, a refused activation that is also missing from the list is gone.
   */
  showActivation?(request: ActivationRequest, call?: ServiceCall): Promise<Outcome<Activation>>
  /** Returns the license without needing an activation. Not every service supports this. */
  showLicense?(request: LicenseRequest, call?: ServiceCall): Promise<Outcome<LicenseFacts>>
  /**
   * Verifies a stored `proof` offline. Only if `capabilities.signsItsAnswers` is true.
   * @returns its content; `null` unless this service signed it for this license and device.
   */
  readProof?(proof: string, request: DeviceRequest, call?: ServiceCall): Promise<SignedAnswer | null>
}

/** What a service supports. Code checks these flags, never the service's name. */
export interface ServiceCapabilities {
  /** It can list a license's activations, so that Latchkey can find a lost one and prove that one is gone. */
  readonly listsActivations: boolean
  /** Activating twice with the same fingerprint uses one seat. */
  readonly idempotentByFingerprint: boolean
  /** It reports when a license ends, so that the end is known offline. */
  readonly tellsTheEnd: boolean
  /** Its responses are signed, and the adapter verifies the signatures. */
  readonly signsItsAnswers: boolean
  /**
   * `showLicense` reports how many devices are active, so that the number before and after a lost answer shows whether
   * a seat was taken.
   * @default false
   */
  readonly tellsSeatsInUse?: boolean | undefined
  /**
   * How many requests a minute the service allows one address, which a gateway's customers share; `undefined` if that
   * isn't known.
   */
  readonly requestsPerMinute?: number | undefined
}

/** Web pages of the service. */
export interface ServiceLinks {
  /** URL of the page where a customer sees the license and its devices; `null` if there is none or it is unknown. */
  readonly customerPortal: string | null
}

/** A request about a license. */
export interface LicenseRequest {
  /** Exactly as returned by `findLicenseKey`. */
  readonly licenseKey: string
}

/** A request for the activations of a license. A service whose lists have no pages always returns all of them. */
export interface ListRequest extends LicenseRequest {
  /** Number of the first page to read. @default 1 */
  readonly page?: number | undefined
  /** Stops after this many milliseconds. The list then has a `nextPage`. @default reads to the end */
  readonly withinMs?: number | undefined
}

/** A request about a license and a device. */
export interface DeviceRequest extends LicenseRequest {
  /** 16 hex digits that identify the device. */
  readonly fingerprint: string
}

/** A request to activate a device. */
export interface ActivateRequest extends DeviceRequest {
  /** The device's readable name. */
  readonly deviceName: string
  /**
   * Whether a license key of the service's test mode may be activated, if the service distinguishes them.
   * @default true
   */
  readonly allowsTestLicense?: boolean | undefined
}

/** A request about an activation. */
export interface ActivationRequest extends DeviceRequest {
  /** The `id` of the activation. */
  readonly activationId: string
}

/** The content of a verified proof. */
export interface SignedAnswer {
  /** Its `status` is `expired` if the service refused the license because it has ended. */
  readonly license: LicenseFacts
  /** When the service signed it, in milliseconds since the epoch. */
  readonly signedAtMs: number
}
