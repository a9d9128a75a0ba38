import type { LicenseService } from '../contract/license-service.ts'
import { dodo } from '../dodo/index.ts'
import { keygen } from '../keygen/index.ts'
import { lemonSqueezy } from '../lemon-squeezy/index.ts'
import { polar } from '../polar/index.ts'

/** The services that can be configured by environment variables, besides the commerce service. */
export const serviceNames = ['dodo', 'keygen', 'lemon-squeezy', 'polar'] as const

/** The name of such a service. */
export type ServiceName = (typeof serviceNames)[number]

/** One environment variable of a service. */
export interface ServiceVariable {
  readonly name: string
  /** The adapter option that it sets. */
  readonly option: string
  /** What it is and where to find it. */
  readonly description: string
  readonly isRequired: boolean
  /** Whether its value is secret. */
  readonly isSecret: boolean
  /** Whether it turns something on. Then `make` gets `1`, or no value. */
  readonly isSwitch: boolean
}

/** A service's variables, and a function that creates its adapter from their values by option name. */
export interface ServiceSettings {
  readonly variables: readonly ServiceVariable[]
  make(values: Readonly<Record<string, string | undefined>>): LicenseService
}

type Kind = 'required' | 'secret' | 'optional' | 'switch'

function variablesOf(
  prefix: string,
  options: readonly (readonly [option: string, kind: Kind, description: string])[],
): readonly ServiceVariable[] {
  return options.map(([option, kind, description]) => ({
    name: `LATCHKEY_${prefix}_${option.replace(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`,
    option,
    description,
    // Services need the vendor's secret to list devices.
    isRequired: kind === 'required' || (kind === 'secret' && option !== 'token'),
    isSecret: kind === 'secret',
    isSwitch: kind === 'switch',
  }))
}

const baseUrl = ['baseUrl', 'optional', 'another address, such as a test server'] as const

/** The settings of each service. */
export const serviceSettings: Readonly<Record<ServiceName, ServiceSettings>> = {
  dodo: {
    variables: variablesOf('DODO', [
      ['productId', 'required', 'product IDs, separated by commas: pdt_…'],
      ['apiKey', 'secret', 'API key: Developer, API keys'],
      ['testMode', 'switch', '1 uses the test mode'],
      baseUrl,
    ]),
    make: ({ productId = '', testMode, ...rest }) =>
      dodo({ ...rest, productId: listOf(productId), testMode: testMode === '1' }),
  },
  keygen: {
    variables: variablesOf('KEYGEN', [
      ['account', 'optional', 'account ID: Settings; not for a singleplayer server'],
      ['product', 'required', 'product ID'],
      ['publicKey', 'optional', 'verify key: Settings; 64 hex digits'],
      ['token', 'secret', 'product token, if the policy refuses license keys as credentials'],
      ['host', 'optional', 'your own server (api.keygen.sh)'],
      ['entitlements', 'switch', "1 uses a license's entitlements as its features"],
      baseUrl,
    ]),
    make: ({ product = '', entitlements, ...rest }) =>
      keygen({ ...rest, product, entitlements: entitlements === '1' }),
  },
  'lemon-squeezy': {
    variables: variablesOf('LEMON_SQUEEZY', [
      ['storeId', 'required', 'number of the store: Settings, Stores'],
      ['productId', 'required', 'product numbers, separated by commas'],
      ['apiKey', 'secret', 'API key: Settings, API'],
      ['testMode', 'switch', '1 accepts license keys of test mode'],
      baseUrl,
    ]),
    make: ({ storeId = '', productId = '', testMode, ...rest }) =>
      lemonSqueezy({ ...rest, storeId, productId: listOf(productId), testMode: testMode === '1' }),
  },
  polar: {
    variables: variablesOf('POLAR', [
      ['organizationId', 'required', 'identifier of the organization: Settings, General'],
      ['benefitId', 'optional', 'ID of the license key benefit'],
      ['accessToken', 'secret', 'access token: license_keys:read and license_keys:write'],
      ['sandbox', 'switch', '1 uses the sandbox'],
      baseUrl,
    ]),
    make: ({ organizationId = '', sandbox, ...rest }) =>
      polar({ ...rest, organizationId, sandbox: sandbox === '1' }),
  },
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim())
}
