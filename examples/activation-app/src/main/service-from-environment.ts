import type { LicensingOptions } from '@latchkey/electron/main'

/**
 * Where Inkwell finds the license service. Your own app would contain its gateway's address and lease keys. The example
 * reads them from the environment; the default is `latchkey-emulator`. It contains no token, because a token doesn't belong
 * in an app.
 */
export async function serviceFromEnvironment(): Promise<
  Pick<LicensingOptions, 'service' | 'leaseKeys' | 'offlineActivation' | 'expiry' | 'build'>
> {
  const { LATCHKEY_SERVICE_URL: baseUrl = 'http://127.0.0.1:4010/v1' } = process.env
  const { LATCHKEY_SERVICE_TOKEN: accessToken, LATCHKEY_SERVICE_TIMEOUT_MS: timeout } = process.env
  const { LATCHKEY_LICENSE_KEYS: licenseKeys, LATCHKEY_OFFLINE_URL: offlineUrl } = process.env
  const { LATCHKEY_LEASE_KEYS: leaseKeys, LATCHKEY_SERVICE: name, LATCHKEY_SERVICE_SETTINGS } = process.env
  // Updates are included until the license ends. In your app, the bundler would insert the date.
  const { INKWELL_RELEASED_AT: releasedAt } = process.env
  const updates = releasedAt ? { expiry: 'updates' as const, build: { releasedAt } } : {}
  // For example `polar`, with the settings that `latchkey-emulator --face polar --json` prints.
  if (name) {
    // Your own app would import its one adapter directly.
    const { createAdapter } = await import('./create-adapter.ts')
    return { ...updates, service: createAdapter(name, baseUrl, LATCHKEY_SERVICE_SETTINGS ?? '{}') }
  }
  return {
    ...updates,
    service: {
      baseUrl,
      ...(accessToken ? { accessToken } : {}),
      ...(timeout ? { timeout: Number(timeout) } : {}),
      // The gateway is in front of a service whose license keys aren't UUIDs.
      ...(licenseKeys === 'any' ? { licenseKeys } : {}),
    },
    // createLicensing checks the content, like every option.
    ...(leaseKeys ? { leaseKeys: JSON.parse(leaseKeys) } : {}),
    // The gateway's page for computers that never go online.
    ...(offlineUrl ? { offlineActivation: { url: offlineUrl } } : {}),
  }
}
