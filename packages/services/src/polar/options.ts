import { checkBaseUrl, checkOption, checkSecret } from '../http/check-options.ts'

/** How to reach an organization at Polar. */
export interface PolarOptions {
  /** Settings, General, "Identifier" of the organization: a UUID. */
  organizationId: string
  /**
   * Products, Benefits, the license key benefit's "Copy ID": a UUID. With it, license keys of the organization's other
   * products are refused before they take a seat. Leave it out to take all of them.
   */
  benefitId?: string | undefined
  /** Uses Polar's sandbox. @default false */
  sandbox?: boolean | undefined
  /**
   * An organization access token with the scopes `license_keys:read` and `license_keys:write`: lets `listActivations`
   * work, and asks the routes that Polar has for servers. A vendor's secret: for a gateway or a support tool, never for
   * an app.
   */
  accessToken?: string | undefined
  /** @default 'https://api.polar.sh', and 'https://sandbox-api.polar.sh' for the sandbox */
  baseUrl?: string | undefined
  /** Where customers see their devices: `https://polar.sh/<your organization's slug>/portal`. */
  customerPortal?: string | undefined
}

export interface PolarSettings {
  readonly organizationId: string
  readonly benefitId: string | undefined
  readonly isTest: boolean
  readonly accessToken: string | undefined
  readonly baseUrl: string
  readonly customerPortal: string | null
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

/** @throws {TypeError} naming the option, never showing its value. */
export function readOptions(options: PolarOptions): PolarSettings {
  const { benefitId, sandbox = false, baseUrl } = options
  const where = 'the ID in Settings, General, which is a UUID (not the name in the address)'
  return {
    organizationId: checkOption('polar', 'organizationId', options.organizationId, uuid, where),
    benefitId:
      benefitId === undefined
        ? undefined
        : checkOption('polar', 'benefitId', benefitId, uuid, 'the ID of the license key benefit, a UUID'),
    isTest: sandbox,
    accessToken: checkSecret('polar', 'accessToken', options.accessToken),
    baseUrl: checkBaseUrl('polar', baseUrl ?? `https://${sandbox ? 'sandbox-api' : 'api'}.polar.sh`),
    customerPortal: options.customerPortal ?? null,
  }
}
