import type { HttpCall, HttpFault, HttpHead } from '@latchkey/commerce/http'
import type { FoundLicenseKey } from './license-key.ts'

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
   * The license key itself says everything, so an answer holds until the license ends: no grace, no seats. A check only
   * learns whether the key was revoked since. `undefined` means the same as `false`.
   */
  readonly answersOffline?: boolean | undefined
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
  /** Fingerprint of the device that asks, for a gateway that shows a device only itself. @default not sent */
  readonly fingerprint?: string | undefined
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
  /** Name of the customer whom the license was sold to. `undefined` means the same as `null`. */
  readonly licensee?: string | null | undefined
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

/** Options of a call. All of them are optional. */
export interface ServiceCall
  extends Pick<HttpCall, 'fetch' | 'signal' | 'timeoutMs' | 'headers' | 'onResponse'> {
  /**
   * Verifies signatures of responses.
   * @default globalThis.crypto
   */
  readonly crypto?: WebCrypto | undefined
  /** Keeps the last signed list that the adapter fetched. @default it isn't kept */
  readonly lastList?: LastList | undefined
}

/** Where the last signed list is kept. It is public, and verified whenever it is read. */
export interface LastList {
  /** Returns the text; `null` if there is none, or it can't be read. Never rejects. */
  read(): Promise<string | null>
  /** Replaces the text, or leaves it if that fails. Never rejects. */
  write(text: string): Promise<void>
}

/** The status and date of an HTTP response. */
export type ResponseFacts = HttpHead

/** The part of the Web Crypto API that adapters use. In Node, pass `webcrypto` from `node:crypto`. */
export interface WebCrypto {
  getRandomValues(array: Uint32Array<ArrayBuffer>): Uint32Array
  readonly subtle: {
    digest(algorithm: 'SHA-256', data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
    importKey(
      format: 'raw',
      keyData: Uint8Array<ArrayBuffer>,
      algorithm: 'Ed25519',
      extractable: false,
      usages: ['verify'],
    ): Promise<object>
    verify(
      algorithm: 'Ed25519',
      key: object,
      signature: Uint8Array<ArrayBuffer>,
      data: Uint8Array<ArrayBuffer>,
    ): Promise<boolean>
  }
}

/** Whether a license can be used. */
export type Verdict = 'valid' | 'expired' | 'suspended' | 'inactive'

/**
 * Returns whether a license can be used at a given time. The rule is the same for every service: the reported status
 * comes first, then the end, unless the service treats the license as valid after its end.
 *
 * @param nowMs the trusted time, in milliseconds since the epoch.
 */
export function readVerdict(license: LicenseFacts, nowMs: number): Verdict {
  if (license.status !== null && license.status !== 'active') return license.status
  const hasEnded = typeof license.endsAtMs === 'number' && license.endsAtMs <= nowMs
  return hasEnded && !license.worksAfterEnd ? 'expired' : 'valid'
}

/** Returns whether a license key was created in the service's test mode, and the service's options don't allow that. */
export function isTestLicense(
  { testMode }: Pick<LicenseService, 'testMode'>,
  { isTest }: Pick<LicenseFacts, 'isTest'>,
): boolean {
  return testMode === false && isTest === true
}

/** The outcome of a call to a licensing service. Calls never throw. */
export type Outcome<Value> = Answer<Value> | Refusal | Unavailable

/** A success in the service's documented format, about this license and activation. */
export interface Answer<Value> {
  readonly kind: 'answer'
  /** What the service reports. */
  readonly value: Value
  /** The response's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
  /**
   * The signed response as text, to store and verify later with `readProof`; `null` if responses aren't signed. It
   * contains the license key, so treat it as a secret.
   */
  readonly proof: string | null
}

/** The service refused for a documented reason. */
export interface Refusal {
  readonly kind: 'refusal'
  /** Why the service refused. */
  readonly reason: RefusalReason
  /** What the refusal reports about the license; `null` if nothing. */
  readonly license: LicenseFacts | null
  /**
   * ID of an activation that was created before the refusal and couldn't be undone; `null` if there is none. Deactivate
   * it later.
   */
  readonly leftoverActivationId: string | null
  /**
   * Only for an `expired` license: the signed response, as in {@link Answer.proof}. `undefined` means the same as
   * `null`.
   */
  readonly proof?: string | null | undefined
  /** Set for an `unknown-activation` that exists, but for another device than the one that was asked about. */
  readonly isOtherDevices?: boolean | undefined
  /** Set if the service says the same about a license that it doesn't know, so one such refusal proves nothing. */
  readonly mayBeUnknown?: boolean | undefined
  /** The response's HTTP status; `null` without a response. */
  readonly httpStatus: number | null
  /** The response's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
}

/**
 * Why a service refused.
 *
 * - `unknown-license`: the service doesn't know the license key.
 * - `expired`, `suspended`, `inactive`: see `LicenseStatus`.
 * - `no-seat-left`: all seats are in use.
 * - `wrong-product`: the license key belongs to another product, store, or plan.
 * - `test-license`: the license key was created in the service's test mode.
 * - `unknown-activation`: the service knows the license, but not this activation.
 */
export type RefusalReason =
  | 'unknown-license'
  | 'expired'
  | 'suspended'
  | 'inactive'
  | 'no-seat-left'
  | 'wrong-product'
  | 'test-license'
  | 'unknown-activation'

/** There is no definite answer. */
export interface Unavailable {
  readonly kind: 'unavailable'
  /** What went wrong. */
  readonly cause: UnavailableCause
  /** The HTTP status; `null` without a response. */
  readonly httpStatus: number | null
  /**
   * The `Retry-After` in milliseconds, as the service sent it; `null` if there is none. Limit it before you wait that
   * long.
   */
  readonly retryAfterMs: number | null
  /** The response's `Date` header in milliseconds since the epoch; `null` if there is none. */
  readonly serverDateMs: number | null
  /**
   * Whether the body was a JSON object or array, and not in another form than the service's answers: that is from a proxy.
   * `null` if no body was read.
   */
  readonly bodyIsJson: boolean | null
  /**
   * Whether the request may have had an effect despite the failure. `false` proves that no seat was used or released.
   */
  readonly mayHaveActed: boolean
  /**
   * A code for the log, such as `ECONNREFUSED`, or the problem with the settings; `null` if there is none. No secret.
   */
  readonly detail: string | null
}

/**
 * Why there is no definite answer.
 *
 * - `network`: no connection, or it was lost.
 * - `timeout`: no complete response in time, or status 408.
 * - `cancelled`: the caller's signal was aborted.
 * - `rate-limited`: status 429.
 * - `server-error`: another temporary status (425, 5xx).
 * - `access-denied`: 401, 403, or 407 without a documented reason.
 * - `not-found`: 404 or 410 without a documented reason. A proxy can send these too.
 * - `rejected`: another 4xx without a documented reason. A proxy can send these too.
 * - `redirected`: a redirect. Redirects are never followed.
 * - `unexpected-answer`: a body that isn't from the service, such as the sign-in page of a network.
 * - `incomplete-answer`: the body was cut off, or the connection was lost before its end.
 * - `unsigned-answer`: the signature is missing, wrong, or too old.
 * - `misconfigured`: a setting is wrong, or the service reports a status that is new to the adapter. `detail` names it.
 */
export type UnavailableCause =
  | HttpFault
  | 'network'
  | 'cancelled'
  | 'incomplete-answer'
  | 'unsigned-answer'
  | 'misconfigured'

/** All facts unknown. Adapters spread it and set the facts that they know. */
export const nothingTold: LicenseFacts = {
  id: null,
  status: null,
  endsAtMs: null,
  worksAfterEnd: false,
  seatLimit: null,
  seatsInUse: null,
  product: null,
  plan: null,
  isTest: null,
}

/** Creates the outcome of a success. An adapter of your own uses it. */
export function answer<Value>(
  value: Value,
  serverDateMs: number | null,
  proof: string | null = null,
): Answer<Value> {
  return { kind: 'answer', value, serverDateMs, proof }
}

/**
 * Creates the outcome of a documented refusal. An adapter of your own and what stands before one use it.
 *
 * @param response the response that says so, if there is one.
 * @param license what the service reports about the license nevertheless.
 */
export function refusal(
  reason: RefusalReason,
  response: { readonly status: number | null; readonly serverDateMs: number | null } | null,
  license: LicenseFacts | null = null,
): Refusal {
  const { status: httpStatus, serverDateMs } = response ?? { status: null, serverDateMs: null }
  return { kind: 'refusal', reason, license, leftoverActivationId: null, httpStatus, serverDateMs }
}

/**
 * Creates the outcome of a call without a definite answer. An adapter of your own and what stands before one use it.
 *
 * @param known what is known; everything else is `null`, and `mayHaveActed` is `false`.
 */
export function unavailable(cause: UnavailableCause, known: Partial<Unavailable> = {}): Unavailable {
  return {
    kind: 'unavailable',
    cause,
    httpStatus: null,
    retryAfterMs: null,
    serverDateMs: null,
    bodyIsJson: null,
    mayHaveActed: false,
    detail: null,
    ...known,
  }
}

/** How much older than another response a list may be, in milliseconds. */
const longestListAgeMs = 60_000

/**
 * Whether a list is from a cache, because it is much older than another response that was requested just before. Such a
 * list doesn't prove that an activation is gone. If only the list has a date, the other response is from another host, and
 * the list proves nothing either.
 *
 * @param answeredAtMs the other response's `Date` in milliseconds since the epoch; `null` if there is none.
 * @param listedAtMs the list's `Date` in milliseconds since the epoch; `null` if there is none.
 */
export function isOlderThan(answeredAtMs: number | null, listedAtMs: number | null): boolean {
  return listedAtMs !== null && (answeredAtMs === null || answeredAtMs - listedAtMs > longestListAgeMs)
}
