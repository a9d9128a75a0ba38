import type { Emulator } from '@latchkey/emulator'
import { isServiceName, serviceSettings } from '@latchkey/services/environment'

/** Returns the environment of a vendor's gateway in front of an emulated service, with the vendor's secret. */
export function gatewayEnvironment(
  { face, baseUrl, settings, accessToken }: Emulator,
  signingKey: string,
): Record<string, string> {
  const secret = accessToken ?? ''
  if (!isServiceName(face)) {
    return {
      LATCHKEY_UPSTREAM: baseUrl,
      LATCHKEY_ACCESS_TOKEN: secret,
      LATCHKEY_SIGNING_KEY: signingKey,
    }
  }
  const values: Record<string, string | undefined> = { ...settings, baseUrl }
  const variables = serviceSettings[face].variables.flatMap(({ name, option, isSecret, isRequired }) => {
    const value = isSecret && isRequired ? secret : values[option]
    return value === undefined ? [] : [[name, value]]
  })
  return { LATCHKEY_SERVICE: face, ...Object.fromEntries(variables), LATCHKEY_SIGNING_KEY: signingKey }
}
