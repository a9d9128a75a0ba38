import type { Emulator } from '@latchkey/emulator'
import { generateLeaseKeys, startInstalledGateway } from '../packages/start-installed-gateway.ts'

/** The service's settings for the example app. */
export type AppEnvironment = Readonly<Record<string, string | undefined>>

/** The app talks to the service itself, with its token: for development alone. */
export function directEnvironment({ baseUrl, accessToken }: Emulator): AppEnvironment {
  return { LATCHKEY_SERVICE_URL: baseUrl, LATCHKEY_SERVICE_TOKEN: accessToken ?? undefined }
}

/** The app uses the adapter of the service that the emulator plays. */
export function adapterEnvironment({ face, baseUrl, settings }: Emulator): AppEnvironment {
  return {
    LATCHKEY_SERVICE: face,
    LATCHKEY_SERVICE_URL: baseUrl,
    LATCHKEY_SERVICE_SETTINGS: JSON.stringify(settings),
    LATCHKEY_SERVICE_TOKEN: undefined,
  }
}

/** The app verifies license keys that the vendor signs. Nothing answers on a network. */
export async function signedKeysEnvironment(): Promise<{
  readonly licenseKey: string
  readonly environment: AppEnvironment
}> {
  // A dynamic import, because the demo builds it first.
  const { generateSigningKey, issueLicenseKey } = await import('@latchkey/services/issue')
  const product = 'inkwell'
  const { signingKey, publicKey } = await generateSigningKey()
  const buyer = { name: 'Ada Lovelace', email: 'ada@example.com' }
  return {
    licenseKey: await issueLicenseKey({ signingKey, product, plan: 'Pro', ...buyer }),
    environment: {
      LATCHKEY_SERVICE: 'signed-keys',
      LATCHKEY_SERVICE_SETTINGS: JSON.stringify({ publicKeys: publicKey, product }),
      LATCHKEY_SERVICE_URL: undefined,
      LATCHKEY_SERVICE_TOKEN: undefined,
    },
  }
}

/** A vendor's gateway before the service: it holds the token, and signs what it answers. */
interface DemoGateway {
  readonly baseUrl: string
  readonly environment: AppEnvironment
  close(): Promise<void>
}

/**
 * Starts the installed gateway with a signing key of its own.
 *
 * @param isOffline whether the app can't reach it, and is activated from its page on another device.
 */
export async function startDemoGateway(
  { baseUrl, accessToken }: Emulator,
  isOffline = false,
): Promise<DemoGateway> {
  const { signingKey, leaseKeys } = await generateLeaseKeys()
  const gateway = await startInstalledGateway({
    LATCHKEY_UPSTREAM: baseUrl,
    LATCHKEY_ACCESS_TOKEN: accessToken ?? '',
    LATCHKEY_SIGNING_KEY: signingKey,
    ...(isOffline && { LATCHKEY_OFFLINE_DAYS: '30' }),
  })
  return {
    baseUrl: gateway.baseUrl,
    environment: {
      // Nothing answers there.
      LATCHKEY_SERVICE_URL: isOffline ? 'http://127.0.0.1:1/v1' : gateway.baseUrl,
      ...(isOffline && { LATCHKEY_OFFLINE_URL: `${gateway.baseUrl}/offline` }),
      LATCHKEY_SERVICE_TOKEN: undefined,
      LATCHKEY_LEASE_KEYS: leaseKeys,
    },
    close: gateway.stop,
  }
}
