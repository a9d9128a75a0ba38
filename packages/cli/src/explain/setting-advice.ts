import { isServiceName, type ServiceName, serviceSettings } from '@latchkey/services/environment'
import type { Connection } from '../settings.ts'

/** Which of the service's settings may be wrong, by what the answer says. */
export type SuspectedSetting =
  | keyof typeof suspectedOptions
  | 'unreached'
  | 'test-mode'
  | 'list'
  | 'vendor-key'

/** The options that may be wrong. Only those that are set are named. */
const suspectedOptions = {
  /** The answer isn't documented. */
  address: ['baseUrl', 'host'],
  /** The account isn't known at the address. */
  account: ['account', 'baseUrl', 'host'],
  /** The license key isn't known. */
  license: ['account', 'organizationId', 'productId', 'testMode', 'sandbox', 'baseUrl', 'host'],
  /** The license key belongs to another product. */
  product: ['benefitId', 'product', 'productId', 'storeId'],
} as const

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
  const secrets = vendorKeyVariables(name)
  const hasSecret = serviceSettings[name].variables.some(
    (variable) => variable.isSecret && isSet(terminal.env[variable.name]),
  )
  switch (suspected) {
    case 'vendor-key':
      return hasSecret
        ? ` Check the vendor’s key in ${secrets}, and what it may do.`
        : ` It may ask for the vendor’s key, which ${secrets} sets.`
    case 'list':
      return hasSecret ? '' : ` Set ${secrets} to list its devices.`
    case 'test-mode':
      return ` ${variablesFor(name, ['testMode']).join('')}=1 allows such keys.`
    case 'unreached': {
      const [set] = variablesFor(name, suspectedOptions.address, terminal.env)
      const where = set === undefined ? `${baseUrlVariable(name)} sets another one.` : `Check ${set}.`
      return ` The address is ${new URL(baseUrl).origin}. ${where}`
    }
    default: {
      // Lemon Squeezy knows the license keys of all its stores.
      const isKnownAnywhere = suspected === 'license' && name === 'lemon-squeezy'
      const options = suspectedOptions[isKnownAnywhere ? 'address' : suspected]
      const names = variablesFor(name, options, terminal.env)
      if (names.length === 0) return ''
      const where =
        suspected === 'license'
          ? ' If the license key is right, it belongs to another organization, account or product, or to the test mode.'
          : ''
      return `${where} Check ${new Intl.ListFormat('en').format(names)}.`
    }
  }
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

/** The variables for these options, in this order. @param env if given, only those that are set in it. */
function variablesFor(
  service: ServiceName,
  options: readonly string[],
  env?: Connection['terminal']['env'],
): readonly string[] {
  const names = options.flatMap((option) =>
    serviceSettings[service].variables.filter((one) => one.option === option).map(({ name }) => name),
  )
  return env === undefined ? names : names.filter((name) => isSet(env[name]))
}

function isSet(value: string | undefined): boolean {
  return (value ?? '').trim() !== ''
}
