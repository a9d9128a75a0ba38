import { isServiceName, type ServiceName, serviceSettings } from '@latchkey/services/environment'
import type { Connection } from '../settings.ts'

type SuspectedOption = 'unreached' | 'address' | 'account' | 'license' | 'product'

const address = ['baseUrl', 'host']

/** Adapter options that may be wrong, by what the answer says. Only those that are set are named. */
const suspects: Readonly<Record<SuspectedOption, readonly string[]>> = {
  /** Nothing answers. */
  unreached: address,
  /** The answer isn't documented. */
  address: address,
  /** The account isn't known at the address. */
  account: ['account', ...address],
  /** The license key isn't known. */
  license: ['account', 'organizationId', 'productId', 'testMode', 'sandbox', ...address],
  /** The license key belongs to another product. */
  product: ['benefitId', 'product', 'productId', 'storeId'],
}

/** Which of the service's settings may be wrong. `list` is the vendor's key too, if it isn't set. */
export type SuspectedSetting = SuspectedOption | 'test-mode' | 'list' | 'vendor-key'

/** Returns the sentences that name the setting to check, each after a space. Empty if there is nothing to add. */
export function settingAdvice(suspected: SuspectedSetting | null, connection: Connection): string {
  const { name, terminal, baseUrl, tokenSetting } = connection
  if (suspected === null) return ''
  if (!isServiceName(name)) {
    if (suspected !== 'vendor-key') return ''
    return tokenSetting === null
      ? ' Check the access token: set LATCHKEY_ACCESS_TOKEN, or pass --token-file.'
      : ` Check the access token in ${tokenSetting}, and what it may do.`
  }
  const set = serviceSettings[name].variables.filter((one) => (terminal.env[one.name] ?? '').trim() !== '')
  const hasSecret = set.some(({ isSecret }) => isSecret)
  const secrets = vendorKeyVariables(name)
  if (suspected === 'test-mode') return ` ${variablesFor(name, ['testMode']).join('')}=1 allows such keys.`
  if (suspected === 'list') return hasSecret ? '' : ` Set ${secrets} to list its devices.`
  if (suspected === 'vendor-key') {
    return hasSecret
      ? ` Check the vendor’s key in ${secrets}, and what it may do.`
      : ` It may ask for the vendor’s key, which ${secrets} sets.`
  }
  // Lemon Squeezy knows the license keys of all its stores.
  const isKnownAnywhere = suspected === 'license' && name === 'lemon-squeezy'
  const options = isKnownAnywhere ? address : suspects[suspected]
  const names = variablesFor(name, options).filter((variable) => set.some((one) => one.name === variable))
  const check = names.length === 0 ? '' : ` Check ${new Intl.ListFormat('en').format(names)}.`
  if (suspected === 'unreached') {
    return ` The address is ${new URL(baseUrl).origin}.${check || ` ${baseUrlVariable(name)} sets another one.`}`
  }
  const isElsewhere = suspected === 'license' && check !== ''
  return `${isElsewhere ? ' If the license key is right, it belongs to another organization, account or product, or to the test mode.' : ''}${check}`
}

/** Returns the names of the variables with the vendor's key. */
export function vendorKeyVariables(service: ServiceName): string {
  const { variables } = serviceSettings[service]
  return variables.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])).join(' or ')
}

/** Returns the name of the variable with a service's address. */
export function baseUrlVariable(service: ServiceName): string {
  return variablesFor(service, ['baseUrl']).join('')
}

/** The variables for these options, in this order. */
function variablesFor(service: ServiceName, options: readonly string[]): readonly string[] {
  const { variables } = serviceSettings[service]
  return options.flatMap((option) => variables.filter((one) => one.option === option).map(({ name }) => name))
}
