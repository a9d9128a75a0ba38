import type { Emulator } from '@latchkey/emulator'
import { type ServiceName, serviceSettings } from '@latchkey/services/environment'

/**
 * The environment variables for an emulated service, with every setting that it reports.
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
