import type { LicenseService } from '@latchkey/services'
import { parseUrl } from '../origin.ts'
import type { LicensingOptions } from './licensing-options.ts'
import { LicensingOptionsError } from './licensing-options-error.ts'
import type { LicensingSettings } from './parse-licensing-options.ts'
import type { LaunchFacts } from './release-date.ts'

const maxTimerMs = 2_147_483_647

/**
 * Checks what the commerce client checks too, because the client is only loaded at the first request, and a developer
 * needs to know earlier.
 *
 * @throws {LicensingOptionsError} naming the option, without its value.
 */
export function checkServiceOptions(service: LicensingSettings['service']): void {
  const wrong =
    addressFault(service.baseUrl) ?? tokenFault(service.accessToken) ?? timeoutFault(service.timeoutMs)
  if (wrong !== null) throw new LicensingOptionsError(`service cannot be used: ${wrong}`)
}

function addressFault(baseUrl: string): string | null {
  if (baseUrl === '') return 'baseUrl is empty: check where you read it from'
  const url = parseUrl(baseUrl)
  if (url === null) return 'baseUrl is not a URL such as https://licensing.example.com/v1'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return 'baseUrl must start with https:// or http://'
  }
  if (url.username !== '' || url.password !== '') return 'baseUrl must not contain a user name or password'
  return /[?#]/u.test(baseUrl) ? 'baseUrl must not contain a query or a fragment' : null
}

function tokenFault(accessToken: string | undefined): string | null {
  if (accessToken === undefined) return null
  if (accessToken === '') return 'accessToken is empty: omit it, or check where you read it from'
  if (/[\r\n]/u.test(accessToken)) {
    return 'accessToken contains a line break: trim the text you read it from'
  }
  return /^[\x21-\x7e]+$/u.test(accessToken)
    ? null
    : 'accessToken contains a space or another character that no HTTP header can carry; omit the word Bearer'
}

function timeoutFault(timeoutMs = 1): string | null {
  return timeoutMs > 0 && timeoutMs <= maxTimerMs ? null : `timeout must be 1 to ${maxTimerMs} milliseconds`
}

/**
 * Returns the adapter passed as `service`; `undefined` if it is an address.
 *
 * @throws {LicensingOptionsError} if the adapter can't be used in this app.
 */
export function readAdapter(options: LicensingOptions, facts: LaunchFacts): LicenseService | undefined {
  const service = adapterIn(options)
  if (service === undefined) return undefined
  const [secret] = service.vendorSecrets
  if (secret !== undefined && facts.isPackaged) {
    throw new LicensingOptionsError(
      `service must not contain ${secret} in a packaged app, where every user can read it: it gives access to your account at ` +
        `${service.name}. Leave it out, or put a gateway (@latchkey/gateway) between app and service`,
    )
  }
  if (options.leaseKeys !== undefined) {
    throw new LicensingOptionsError(
      'leaseKeys need a gateway that signs its answers: set service to { baseUrl } of your gateway, or leave leaseKeys out',
    )
  }
  return service
}

/** What an adapter has. Its types are checked by the compiler. */
const adapterFunctions = ['findLicenseKey', 'activate', 'validate', 'deactivate']

function adapterIn(options: LicensingOptions): LicenseService | undefined {
  const service: unknown = options?.service
  return isAdapter(service) ? service : undefined
}

function isAdapter(value: unknown): value is LicenseService {
  return (
    typeof value === 'object' &&
    value !== null &&
    adapterFunctions.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}

/** Returns what is wrong with options that have an adapter outside `service`, or a promise of one; `null` if they don't. */
export function misplacedAdapter(options: LicensingOptions): string | null {
  if (isAdapter(options)) {
    return 'an adapter belongs in service, such as service: polar({ organizationId: "…" }), and is not spread into the options'
  }
  if (typeof Reflect.get(Object(options?.service), 'then') === 'function') {
    return 'service is a promise: await it before you call createLicensing'
  }
  const [name] =
    Object.entries(Object(options)).find(([key, value]) => key !== 'service' && isAdapter(value)) ?? []
  if (name === undefined) return null
  return `${name} is not an option of createLicensing: an adapter belongs in service, such as service: polar({ organizationId: "…" })`
}

/** Whether `service` has an address, as every adapter has. */
export function hasAddress(options: LicensingOptions): boolean {
  return options?.service?.baseUrl !== undefined
}
