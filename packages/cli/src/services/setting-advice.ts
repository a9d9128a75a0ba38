import {
  isServiceName,
  readService,
  type ServiceName,
  type ServiceVariable,
  serviceSettings,
} from '@latchkey/services/environment'
import type { Terminal } from '../terminal.ts'
import type { SuspectedSetting } from './outcome-error.ts'

/**
 * Returns the sentences that name the setting to check, each after a space. Empty if there is nothing to add.
 *
 * @param service the service's name, such as `polar` or `commerce`.
 */
export function settingAdvice(
  suspected: SuspectedSetting | null,
  service: string,
  terminal: Terminal,
): string {
  switch (suspected) {
    case 'vendor-key':
      return vendorKeyAdvice(service, terminal)
    case 'unreached':
      return unreachedAdvice(service, terminal)
    case 'address':
      return baseUrlAdvice(service, terminal)
    case 'account':
      return unknownLicenseAdvice(service, terminal)
    case null:
      return ''
  }
}

function vendorKeyAdvice(service: string, { env }: Terminal): string {
  if (isServiceName(service)) {
    return ` Check the vendor’s key in ${vendorKeyVariables(service)}, and what it may do.`
  }
  // The first one takes precedence.
  const used = ['LATCHKEY_ACCESS_TOKEN_FILE', 'LATCHKEY_ACCESS_TOKEN'].find((name) => isSet(env[name]))
  return used === undefined
    ? ' Check the access token: set LATCHKEY_ACCESS_TOKEN, or pass --token-file.'
    : ` Check the access token in ${used}, and what it may do.`
}

/** Returns the names of the variables with the vendor's key, with `or`. */
export function vendorKeyVariables(service: ServiceName): string {
  return listOf(namesOf(service, ({ isSecret }) => isSecret))
}

/** Returns the name of the variable with a service's address. */
export function baseUrlVariable(service: ServiceName): string {
  return namesOf(service, ({ option }) => option === 'baseUrl').join('')
}

/**
 * Returns the sentences for an answer that the service doesn't document: another server may be at the address that is set.
 * Empty if the service is asked at its usual address.
 */
function baseUrlAdvice(service: string, { env }: Terminal): string {
  if (!isServiceName(service)) return ''
  const name = baseUrlVariable(service)
  const baseUrl = (env[name] ?? '').trim()
  if (baseUrl === '') return ''
  const [, version] = /\/(v\d+)\/*$/iu.exec(baseUrl) ?? []
  const end = version === undefined ? '' : `: it ends with /${version}, which doesn’t belong to the address`
  return ` Check ${name}${end}. If the emulator is there, start it with --face ${service}.`
}

/** Returns the sentence that names the address that gave no answer. Empty for the commerce service. */
function unreachedAdvice(service: string, { env }: Terminal): string {
  const baseUrl = isServiceName(service) ? readService(service, env, [])?.baseUrl : undefined
  if (!isServiceName(service) || baseUrl === undefined) return ''
  return ` The address is ${baseUrl}. ${baseUrlVariable(service)} sets another one.`
}

/** Options that don't select where license keys are looked for. */
const technicalOptions = ['baseUrl', 'entitlements', 'host', 'publicKey']

/** Returns the sentence for a license key that the service doesn't know: it may be sold in another place. */
function unknownLicenseAdvice(service: string, { env }: Terminal): string {
  if (!isServiceName(service)) return ''
  const isOfAccount = ({ name, option, isSecret }: ServiceVariable): boolean =>
    !isSecret && !technicalOptions.includes(option) && isSet(env[name])
  const names = namesOf(service, isOfAccount)
  const where =
    'If the key is right, it belongs to another organization, store, account or product, or to the test mode.'
  return ` ${where} Check ${listOf(names, 'and')}.`
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
