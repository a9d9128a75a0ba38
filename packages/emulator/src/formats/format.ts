import type { Answer } from '../answer.ts'
import { conditionOf, type LicenseCondition } from '../data/license-store.ts'
import type { LicenseData, ServiceData } from '../data/service-data.ts'
import type { ServiceClock } from '../timestamps.ts'
import type { Dialect } from './dialect.ts'

/** The operations of the interface, by the short names used in faults and the request log. */
export const operations = [
  'keys',
  'key',
  'activate',
  'validate',
  'deactivate',
  'discounts',
  'customers',
] as const

/** One operation of the interface. */
export type Operation = (typeof operations)[number]

/** The services whose wire format the emulator can use. */
export const formatNames = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar'] as const

/** The name of a wire format. */
export type FormatName = (typeof formatNames)[number]

/** One service's wire format for the emulator's licenses. */
export interface Format {
  readonly name: FormatName
  /** Path of the base URL, without a trailing slash. */
  readonly basePath: string
  readonly routes: readonly FormatRoute[]
  /** The options an adapter needs besides the base URL. */
  readonly settings: Readonly<Record<string, string>>
  /** Returns the text a user pastes for a license. */
  licenseKeyOf(licenseId: string): string
  /** Returns the license a request is about, for faults; empty if there is none. */
  licenseIdOf(state: ServiceState, request: FormatRequest): string
  /** Answers a request. Synchronous, so that parallel requests can't interleave. */
  answer(state: ServiceState, request: FormatRequest): Answer
  /** Refuses a path or a method that the service doesn't have. */
  refuseRoute(state: ServiceState, kind: 'unknown-path' | 'method'): Answer
}

/** One endpoint. */
export interface FormatRoute {
  /** The operation, by the name that faults and the log use. */
  readonly operation: Operation
  readonly method: string
  /** The full path, with `:name` for parameters. */
  readonly path: string
}

/** A request in a service's format. */
export interface FormatRequest {
  readonly operation: Operation
  readonly method: string
  readonly url: URL
  header(name: string): string | undefined
  param(name: string): string
  /** The body's text; `null` if it was too large to read. */
  readonly bodyText: string | null
  /** Notes in the log why the token is refused. */
  refuseToken(reason: string): void
}

/** All state that an answer depends on. */
export interface ServiceState {
  /** `null`: no token is required. */
  accessToken: string | null
  dialect: Dialect
  clock: ServiceClock
  data: ServiceData
}

/** The buyer of every license. */
export const customer = {
  id: 'b0c1f5a0-6f9e-4d53-8a5e-0c8f5d1b2a34',
  name: 'Anna',
  email: 'anna@example.com',
} as const

/** Finds the license of a key text, compared exactly. */
export function licenseOfKey(
  state: ServiceState,
  licenseKeyOf: (licenseId: string) => string,
  licenseKey: unknown,
): LicenseData | null {
  return state.data.licenses.list().find(({ id }) => licenseKeyOf(id) === licenseKey) ?? null
}

/** The condition of a license at a service that lets an `INACTIVE` one be activated. */
export function conditionAt({ clock }: ServiceState, license: LicenseData): LicenseCondition {
  const condition = conditionOf(license, clock.nowMs())
  return condition === 'inactive' && license.status === 'INACTIVE' ? 'usable' : condition
}

/** Whether a request has the vendor's token, which lists need. If not, the log says so. */
export function isVendor({ accessToken }: ServiceState, { header, refuseToken }: FormatRequest): boolean {
  const sent = header('authorization')
  if (accessToken === null || sent === `Bearer ${accessToken}`) return true
  const isBearer = sent?.startsWith('Bearer ') === true
  refuseToken(
    sent === undefined
      ? 'the header Authorization is missing'
      : `the header Authorization ${isBearer ? 'has another token' : 'does not begin with "Bearer "'}`,
  )
  return false
}

/** Parses the body as a JSON object; `null` if it isn't one. */
export function parseBody(bodyText: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(bodyText)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : null
  } catch {
    return null
  }
}

/** Parses the body's fields from JSON or a form; empty if it is neither. */
export function readFields({ bodyText, header }: FormatRequest): Record<string, unknown> {
  const type = header('content-type') ?? ''
  if (/^application\/x-www-form-urlencoded\b/iu.test(type)) {
    return Object.fromEntries(new URLSearchParams(bodyText ?? ''))
  }
  return parseBody(bodyText ?? '') ?? {}
}

/** Returns a non-empty text field; `null` if there is none. */
export function textField(fields: Record<string, unknown>, name: string): string | null {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** A request to activate, validate or deactivate, by a license key in the body. */
export interface LicenseCall {
  /** `null` if there is no such license key. */
  readonly license: LicenseData | null
  readonly deviceName: string
  readonly instanceId: string | null
}

/** Reads such a request; `null` if it lacks a field that its operation needs. */
export function readLicenseCall(
  state: ServiceState,
  request: FormatRequest,
  licenseKeyOf: (licenseId: string) => string,
  names: { readonly deviceName: string; readonly instanceId: string },
): LicenseCall | null {
  const fields = readFields(request)
  const licenseKey = textField(fields, 'license_key')
  const deviceName = textField(fields, names.deviceName)
  const instanceId = textField(fields, names.instanceId)
  const { operation } = request
  const needed = operation === 'activate' ? deviceName : operation === 'deactivate' ? instanceId : licenseKey
  if (licenseKey === null || needed === null) return null
  return { license: licenseOfKey(state, licenseKeyOf, licenseKey), deviceName: deviceName ?? '', instanceId }
}

/** Returns a field that is an object; an empty one if it isn't. */
export function objectField(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = fields[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
