import type { Emulator } from '@latchkey/emulator'
import type { GatewayOptions } from '@latchkey/gateway'
import { isServiceName, serviceSettings } from '@latchkey/services/environment'

/** Returns the option `upstream` of a gateway in front of an emulated service, with the vendor's secret. */
export function upstreamOf(emulator: Emulator): GatewayOptions['upstream'] {
  const { face, baseUrl, settings } = emulator
  const accessToken = emulator.accessToken ?? ''
  if (!isServiceName(face)) return { baseUrl, accessToken }
  const { variables, make } = serviceSettings[face]
  const secrets = variables.filter(({ isSecret, isRequired }) => isSecret && isRequired)
  return make({
    ...settings,
    baseUrl,
    ...Object.fromEntries(secrets.map(({ option }) => [option, accessToken])),
  })
}
