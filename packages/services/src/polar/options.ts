import { checkBaseUrl, checkOption, checkRest, checkSecret, checkSwitch } from '../http/check-options.ts'

/** Options for {@link polar}. */
export interface PolarOptions {
  /** The organization's "Identifier", a UUID: in the dashboard under Settings, General. */
  organizationId: string
  /**
   * The ID of the license key benefit, a UUID: in the dashboard under Products, Benefits, "Copy ID". If it is set, the
   * license keys of your other products are refused before they use a seat. If not, all of them are accepted.
   */
  benefitId?: string | undefined
  /** Uses the Polar sandbox. @default false */
  sandbox?: boolean | undefined
  /**
   * An organization access token with the scopes `license_keys:read` and `license_keys:write`. Needed for
   * `listActivations`, and uses Polar's server API. It is secret: use it only in a gateway or support tool, never in an
   * app.
   */
  accessToken?: string | undefined
  /**
   * Base URL of the requests without `/v1`, for tests with the emulator. https:, or http: to this machine.
   * @default 'https://api.polar.sh', or 'https://sandbox-api.polar.sh' for the sandbox
   */
  baseUrl?: string | undefined
  /** URL of the page where customers manage their devices: `https://polar.sh/<your organization's slug>/portal`. */
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

export const uuid: RegExp = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu

/** @throws {TypeError} if an option is invalid. The message names the option but never shows its value. */
export function readOptions(options: PolarOptions): PolarSettings {
  // Plain JavaScript may pass nothing.
  const given: Partial<PolarOptions> = options ?? {}
  const { organizationId, benefitId, sandbox, accessToken, baseUrl, customerPortal, ...rest } = given
  checkRest('polar', rest, { organizationId, benefitId, sandbox, accessToken, baseUrl, customerPortal })
  const where = 'the UUID in Settings, General'
  return {
    organizationId: checkOption('polar', 'organizationId', organizationId, uuid, where),
    benefitId:
      benefitId === undefined
        ? undefined
        : checkOption('polar', 'benefitId', benefitId, uuid, 'the UUID of the license key benefit'),
    isTest: checkSwitch('polar', 'sandbox', sandbox),
    accessToken: checkSecret('polar', 'accessToken', accessToken),
    baseUrl: checkBaseUrl('polar', baseUrl ?? `https://${sandbox ? 'sandbox-' : ''}api.polar.sh`),
    customerPortal: customerPortal ?? null,
  }
}
