import type { Emulator } from '@latchkey/emulator'
import type { Upstream } from '@latchkey/gateway'
import { isServiceName, readService, type ServiceName, serviceSettings } from '@latchkey/services/environment'

/**
 * Returns the environment variables for an emulated service, with every setting that it reports.
 *
 * @param secret the vendor's secret, for services that need one to list devices.
 */
export function serviceEnvironment(
  service: ServiceName,
  { settings, baseUrl, accessToken }: Emulator,
  secret: string = accessToken ?? '',
): Record<string, string> {
  const values: Record<string, string | undefined> = { ...settings, baseUrl }
  const variables = serviceSettings[service].variables.flatMap(({ name, option, isSecret, isRequired }) => {
    const value = isSecret && isRequired ? secret : values[option]
    return value === undefined ? [] : [[name, value]]
  })
  return { LATCHKEY_SERVICE: service, ...Object.fromEntries(variables) }
}

/**
 * Returns the option `upstream` of a gateway in front of an emulated service, with the vendor's secret.
 *
 * @param own other values of the service's environment variables.
 */
export function upstreamOf(emulator: Emulator, own: Readonly<Record<string, string>> = {}): Upstream {
  const { face, baseUrl, accessToken } = emulator
  if (!isServiceName(face)) return { baseUrl, accessToken: accessToken ?? '' }
  const problems: string[] = []
  const service = readService(face, { ...serviceEnvironment(face, emulator), ...own }, problems)
  if (service === null) throw new Error(problems.join(' '))
  return service
}
