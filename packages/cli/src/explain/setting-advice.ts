import {
  isServiceName,
  type ServiceName,
  type ServiceVariable,
  serviceSettings,
} from '@latchkey/services/environment'
import type { Connection, GlobalOptions } from '../settings.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Which of the service's settings may be wrong.
 *
 * - `vendor-key`: the vendor's key, which was refused.
 * - `unreached`: the address, because nothing answers there.
 * - `address`: the address, because the answer isn't documented.
 * - `account`: the account, which isn't known at the address.
 * - `license`: the place where the license key is looked for, because it isn't known there.
 * - `product`: the product, store or plan that the license must belong to.
 * - `test-mode`: the switch that allows license keys of test mode.
 * - `list`: the vendor's key, without which the devices of a license that has ended or is suspended aren't listed.
 */
export type SuspectedSetting =
  | 'unreached'
  | 'address'
  | 'account'
  | 'license'
  | 'product'
  | 'test-mode'
  | 'list'
  | 'vendor-key'

/** Returns the sentences that name the setting to check, each after a space. Empty if there is nothing to add. */
export function settingAdvice(suspected: SuspectedSetting | null, connection: Connection): string {
  const { name, terminal, baseUrl } = connection
  if (suspected === null) return ''
  if (suspected === 'vendor-key') return ` ${vendorKeyAdvice(connection)}`
  return isServiceName(name) ? adviceOf[suspected](name, terminal.env, baseUrl) : ''
}

type Advice = (service: ServiceName, env: Terminal['env'], baseUrl: string) => string

const adviceOf: Readonly<Record<Exclude<SuspectedSetting, 'vendor-key'>, Advice>> = {
  unreached(service, env, baseUrl) {
    const address = ` The address is ${new URL(baseUrl).origin}.`
    const [name] = addressVariables(service, env)
    return name === undefined
      ? `${address} ${baseUrlVariable(service)} sets another one.`
      : `${address} Check ${name}.`
  },
  address(service, env) {
    const [name] = addressVariables(service, env)
    return name === undefined
      ? ''
      : ` Check ${name}${versionHint(env[name])}. If the emulator is there, start it with --face ${service}.`
  },
  account(service, env) {
    const accounts = namesOf(service, ({ option }) => option === 'account')
    const names = [...accounts, ...addressVariables(service, env)]
    return ` Check ${listOf(names, 'and')}${versionHint(env[names.at(-1) ?? ''])}.`
  },
  license(service, env) {
    const addresses = addressVariables(service, env)
    // The switches select an address, too.
    const isOfPlace = ({ name, option, isSwitch }: ServiceVariable): boolean =>
      placeOptions[service].includes(option) && isSet(env[name]) && !(isSwitch && addresses.length > 0)
    const names = [...namesOf(service, isOfPlace), ...addresses]
    if (names.length === 0) return ''
    const where =
      'If the license key is right, it belongs to another organization, account or product, or to the test mode.'
    return ` ${where} Check ${listOf(names, 'and')}.`
  },
  list(service, env) {
    return hasNoVendorKey(service, env) ? ` Set ${vendorKeyVariables(service)} to list its devices.` : ''
  },
  product(service, env) {
    const isOfProduct = ({ name, option }: ServiceVariable): boolean =>
      productOptions.includes(option) && isSet(env[name])
    const names = namesOf(service, isOfProduct)
    return names.length === 0 ? '' : ` Check ${listOf(names, 'and')}.`
  },
  'test-mode'(service) {
    return ` ${listOf(namesOf(service, ({ option }) => option === 'testMode'))}=1 allows such keys.`
  },
}

/** Options that select where a license key is looked for, besides the address. Lemon Squeezy knows every key. */
const placeOptions: Readonly<Record<ServiceName, readonly string[]>> = {
  dodo: ['productId', 'testMode'],
  keygen: ['account'],
  'lemon-squeezy': [],
  polar: ['organizationId', 'sandbox'],
}
/** Options for which a service refuses a license key that it knows. */
const productOptions = ['benefitId', 'product', 'productId', 'storeId']

function vendorKeyAdvice({ name, options, terminal: { env } }: Connection): string {
  if (isServiceName(name)) {
    const names = vendorKeyVariables(name)
    return hasNoVendorKey(name, env)
      ? `It may ask for the vendor’s key, which ${names} sets.`
      : `Check the vendor’s key in ${names}, and what it may do.`
  }
  const source = tokenSource(options, env)
  return source === null
    ? 'Check the access token: set LATCHKEY_ACCESS_TOKEN, or pass --token-file.'
    : `Check the access token in ${source.setting}, and what it may do.`
}

function hasNoVendorKey(service: ServiceName, env: Terminal['env']): boolean {
  return !namesOf(service, ({ isSecret }) => isSecret).some((name) => isSet(env[name]))
}

/** Returns the names of the variables with the vendor's key, with `or`. */
export function vendorKeyVariables(service: ServiceName): string {
  return listOf(namesOf(service, ({ isSecret }) => isSecret))
}

/** Returns the name of the variable with a service's address. */
export function baseUrlVariable(service: ServiceName): string {
  return namesOf(service, ({ option }) => option === 'baseUrl').join('')
}

/** Returns the name of the variable that the address is from; empty if the service is asked at its usual address. */
function addressVariables(service: ServiceName, env: Terminal['env']): readonly string[] {
  return ['baseUrl', 'host']
    .flatMap((option) => namesOf(service, (variable) => variable.option === option))
    .filter((name) => isSet(env[name]))
    .slice(0, 1)
}

function versionHint(baseUrl = ''): string {
  const [, version] = /\/(v\d+)\/*$/iu.exec(baseUrl.trim()) ?? []
  return version === undefined ? '' : `: it ends with /${version}, which doesn’t belong to the address`
}

function namesOf(service: ServiceName, isWanted: (variable: ServiceVariable) => boolean): readonly string[] {
  return serviceSettings[service].variables.filter(isWanted).map(({ name }) => name)
}

function isSet(value: string | undefined): boolean {
  return (value ?? '').trim() !== ''
}

function listOf(names: readonly string[], word = 'or'): string {
  return new Intl.ListFormat('en', { type: word === 'or' ? 'disjunction' : 'conjunction' }).format(names)
}

/** Where the access token is from. */
export interface TokenSource {
  readonly setting: '--token-file' | 'LATCHKEY_ACCESS_TOKEN_FILE' | 'LATCHKEY_ACCESS_TOKEN'
  /** The name of the file, or the token itself. */
  readonly value: string
}

/** Returns where the access token is from; `null` if none is set. A file takes precedence. */
export function tokenSource(
  { tokenFile }: Pick<GlobalOptions, 'tokenFile'>,
  env: Terminal['env'],
): TokenSource | null {
  const setting = tokenFile === undefined ? 'LATCHKEY_ACCESS_TOKEN_FILE' : '--token-file'
  const file = tokenFile ?? env['LATCHKEY_ACCESS_TOKEN_FILE'] ?? ''
  if (file !== '') return { setting, value: file }
  const token = env['LATCHKEY_ACCESS_TOKEN'] ?? ''
  return token === '' ? null : { setting: 'LATCHKEY_ACCESS_TOKEN', value: token }
}
