import { nearestName as nearest, OptionsError } from '@latchkey/commerce/options'
import { dodo } from './dodo.ts'
import { keygen } from './keygen.ts'
import { lemonSqueezy } from './lemon-squeezy.ts'
import type { LicenseService } from './license-service.ts'
import { polar } from './polar.ts'

/** Returns the known variable or word that a mistyped one is closest to; `null` if none is close. */
export function nearestName(name: string, known: readonly string[]): string | null {
  return nearest(name, known, 2)
}

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

/** Whether a string is the name of a service that {@link readService} supports. */
export function isServiceName(text: string): text is ServiceName {
  return serviceNames.some((name) => name === text)
}

/**
 * Creates a service's adapter from environment variables such as `LATCHKEY_POLAR_ORGANIZATION_ID`.
 *
 * @param problems receives one sentence per missing or invalid variable. It never contains a value.
 * @returns `null` if there are problems.
 */
export function readService(
  name: ServiceName,
  variables: Readonly<Record<string, string | undefined>>,
  problems: string[],
): LicenseService | null {
  const { variables: known, make } = serviceSettings[name]
  const values: Record<string, string> = {}
  const unusable: string[] = []
  for (const variable of known) {
    const value = variables[variable.name]?.trim() ?? ''
    if (variable.isSwitch) {
      const isOn = readSwitch(value)
      if (isOn === null) unusable.push(`${variable.name} ${switchRule}.`)
      else if (isOn) values[variable.option] = '1'
    } else if (value !== '') values[variable.option] = value
    else if (variable.isRequired) unusable.push(`${variable.name} is missing: ${variable.description}.`)
  }
  problems.push(...unusable)
  if (unusable.length > 0) return null
  try {
    return make(values)
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error
    for (const { option, problem } of error.problems) {
      // Of several IDs, each has a number behind the option's name.
      const variable = known.find((it) => it.option === option.replace(/\[.*/u, ''))
      problems.push(`${variable?.name ?? option} ${problem}.`)
    }
    return null
  }
}

/** The help text for the variables of all services, for `--help`. */
export const serviceVariablesHelp: string = serviceNames
  .map((name) => {
    const { variables } = serviceSettings[name]
    const lines = variables.map(
      (variable) =>
        `    ${variable.name.padEnd(36)} ${variable.description}${variable.isRequired ? ' (required)' : ''}`,
    )
    return `  ${name}:\n${lines.join('\n')}`
  })
  .join('\n')

/** Names of all variables of all services. */
export const serviceVariableNames: readonly string[] = serviceNames.flatMap((name) =>
  serviceSettings[name].variables.map((variable) => variable.name),
)

/** What the value of a switch must be, for error messages. */
export const switchRule = 'must be true or false, or 1 or 0'

/**
 * Reads an environment variable that turns something on. An unset or empty one counts as off.
 *
 * @returns `null` if the value is something else.
 */
export function readSwitch(value: string | undefined): boolean | null {
  switch (value?.trim().toLowerCase() ?? '') {
    case '1':
    case 'true':
      return true
    case '':
    case '0':
    case 'false':
      return false
    default:
      return null
  }
}

const atAnEnd = /^["'`“”‘’]|["'`“”‘’]$/gu

/**
 * Removes quotation marks around values, which Docker's `--env-file` keeps. A service would only refuse such a token.
 *
 * @param known the names of the settings to look at.
 * @param problems receives one sentence per setting.
 */
export function withoutQuotes(
  variables: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  problems: string[],
): Readonly<Record<string, string | undefined>> {
  const unquoted = { ...variables }
  for (const name of known) {
    const value = variables[name]?.trim()
    if (value === undefined || value.search(atAnEnd) === -1) continue
    unquoted[name] = value.replaceAll(atAnEnd, '')
    problems.push(`${name} is in quotation marks, which became part of its value. Remove them.`)
  }
  return unquoted
}
