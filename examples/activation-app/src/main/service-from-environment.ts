import type { LicensingOptions } from '@latchkey/electron/main'
import { createAdapter } from './create-adapter.ts'

/**
 * Where Inkwell finds the license service. An app of yours would simply name its gateway's address and lease keys;
 * the example talks to whatever it is told, and by default to `latchkey-emulator --port 4010 --no-token`. No token is
 * built into it: a token does not belong in an app.
 */
export function serviceFromEnvironment(): Pick<LicensingOptions, 'service' | 'leaseKeys'> {
  const { LATCHKEY_SERVICE_URL: baseUrl = 'http://127.0.0.1:4010/v1' } = process.env
  const { LATCHKEY_SERVICE_TOKEN: accessToken, LATCHKEY_SERVICE_TIMEOUT_MS: timeout } = process.env
  const { LATCHKEY_LEASE_KEYS: leaseKeys, LATCHKEY_SERVICE: name, LATCHKEY_SERVICE_SETTINGS } = process.env
  // Such as `polar`, with the settings that `latchkey-emulator --face polar --json` prints.
  if (name) return { service: createAdapter(name, baseUrl, LATCHKEY_SERVICE_SETTINGS ?? '{}') }
  return {
    service: {
      baseUrl,
      ...(accessToken ? { accessToken } : {}),
      ...(timeout ? { timeout: Number(timeout) } : {}),
    },
    // What is in it is checked by createLicensing, as every option is.
    ...(leaseKeys ? { leaseKeys: JSON.parse(leaseKeys) } : {}),
  }
}
