import { type Emulator, faceNames, startEmulator } from '@latchkey/emulator'
import { generateSigningKey, issueLicenseKey } from '@latchkey/services/issue'
import { directAccess, environmentFor, startGatewayInFront } from '../e2e/service-under-test.ts'

/** What `pnpm demo` can show. */
export interface DemoOptions {
  /** `commerce`, a service that has an adapter, or `signed-keys`. @default 'commerce' */
  readonly service?: string | undefined
  /** Whether a signing gateway is between app and service. */
  readonly gateway?: boolean
  /** Whether the app can't reach that gateway, and is activated from its page on another device. */
  readonly offline?: boolean
}

/** A running service, and what the example app needs to use it. */
export interface Demo {
  /** The tour that fits. */
  readonly kind: 'online' | 'offline' | 'signed-keys'
  readonly emulator: Emulator
  readonly licenseKey: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What is running, for the person at the screen. */
  readonly description: string
  close(): Promise<void>
}

/** Starts what the example app asks. */
export async function startDemo({
  service = 'commerce',
  gateway = false,
  offline = false,
}: DemoOptions): Promise<Demo> {
  if (service === 'signed-keys') return await withoutService()
  const face = faceNames.find((name) => name === service)
  if (face === undefined)
    throw new Error(`--service must be one of: ${[...faceNames, 'signed-keys'].join(', ')}`)
  const hasGateway = gateway || offline
  if (face !== 'commerce' && hasGateway)
    throw new Error('--gateway and --offline work with the commerce service only')
  // Only the gateway holds a token.
  const emulator = await startEmulator({ face, accessToken: hasGateway ? 'demo' : null })
  const { baseUrl, licenseKey, demoLicense } = emulator
  const name = face === 'commerce' ? 'Commerce service' : face
  const running = `${name} (emulated) on ${baseUrl}, with a license of ${demoLicense.activation_limit} seats`
  if (!hasGateway) {
    const environment = environmentFor(directAccess(emulator))
    return { kind: 'online', emulator, licenseKey, environment, description: running, close: emulator.close }
  }
  const { access, stop } = await startGatewayInFront(emulator, offline ? { LATCHKEY_OFFLINE_DAYS: '30' } : {})
  const page = `${access.service.baseUrl}/offline`
  const about = `Gateway on ${access.service.baseUrl}: it holds the token and signs its answers; the app has none.`
  const visit = `The app can’t reach it. Open this page in a browser, as if on another device:\n\n  ${page}`
  return {
    kind: offline ? 'offline' : 'online',
    emulator,
    licenseKey,
    environment: {
      ...environmentFor(access),
      // Nothing answers there.
      ...(offline && { LATCHKEY_SERVICE_URL: 'http://127.0.0.1:1/v1', LATCHKEY_OFFLINE_URL: page }),
    },
    description: [running, about, ...(offline ? [visit] : [])].join('\n\n'),
    async close() {
      await stop()
      await emulator.close()
    },
  }
}

/** The app verifies license keys that the vendor signs. The emulator runs, and nobody asks it. */
async function withoutService(): Promise<Demo> {
  const emulator = await startEmulator()
  const product = 'inkwell'
  const { signingKey, publicKey } = await generateSigningKey()
  const buyer = { name: 'Ada Lovelace', email: 'ada@example.com' }
  return {
    kind: 'signed-keys',
    emulator,
    licenseKey: await issueLicenseKey({ signingKey, product, plan: 'Pro', ...buyer }),
    environment: {
      LATCHKEY_SERVICE: 'signed-keys',
      LATCHKEY_SERVICE_SETTINGS: JSON.stringify({ publicKeys: publicKey, product }),
    },
    description: 'No service: the app verifies a license key that the vendor signed.',
    close: emulator.close,
  }
}
