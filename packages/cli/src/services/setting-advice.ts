import {
  isServiceName,
  readService,
  type ServiceName,
  type ServiceVariable,
  serviceSettings,
} from '@latchkey/services/environment'
import { type GlobalOptions, tokenSource } from '../connection.ts'
import type { Terminal } from '../terminal.ts'
import type { SuspectedSetting } from './outcome-error.ts'

/** Where a failed request was sent from. */
export interface RequestSettings {
  /** The service's name, such as `polar` or `commerce`. */
  readonly service: string
  readonly options: GlobalOptions
  readonly env: Terminal['env']
}

/** Returns the sentences that name the setting to check, each after a space. Empty if there is nothing to add. */
export function settingAdvice(suspected: SuspectedSetting | null, settings: RequestSettings): string {
  const { service, env } = settings
  switch (suspected) {
    case 'vendor-key':
      return ` ${vendorKeyAdvice(settings)}`
    case null:
      return ''
    default:
      return isServiceName(service) ? adviceOf[suspected](service, env) : (commerceAdvice[suspected] ?? '')
  }
}

/** For the commerce service, whose address may come from an option. */
const commerceAdvice: Readonly<Partial<Record<SuspectedSetting, string>>> = {
  unreached: ' Run `latchkey doctor` to find the cause.',
  address:
    ' Check the base URL, which ends with the version segment, such as /v1. Run `latchkey doctor` to find the cause.',
  license: ' If the license key is right, run `latchkey doctor` to check the address.',
}

type Advice = (service: ServiceName, env: Terminal['env']) => string

const adviceOf: Readonly<Record<Exclude<SuspectedSetting, 'vendor-key'>, Advice>> = {
  unreached(service, env) {
    const url = readService(service, env, [])?.baseUrl
    if (url === undefined) return ''
    const address = ` The address is ${new URL(url).origin}.`
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

function vendorKeyAdvice({ service, options, env }: RequestSettings): string {
  if (isServiceName(service)) {
    const names = vendorKeyVariables(service)
    return hasNoVendorKey(service, env)
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
