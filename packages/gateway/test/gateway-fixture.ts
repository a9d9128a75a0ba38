import { type Emulator, type EmulatorOptions, startEmulator } from '@latchkey/emulator'
import { onTestEnd } from '@latchkey/scripts/test/side-by-side'
import {
  createGateway,
  type GatewayLogLine,
  type GatewayOptions,
  generateSigningKey,
  type LeaseClaims,
  type LeaseExpectation,
  type LeaseKeys,
  type LeaseRefusal,
  leaseKeysOf,
  type SigningKey,
  type UpstreamOptions,
  verifyLease,
} from '../src/index.ts'

/** The service's token in these tests, long enough to be unmistakable if it leaks. */
export const accessToken = 'token-that-must-not-leak-0123456789'

/** A license, a device's key on it, and a gateway in front of the service that knows both. */
export interface GatewayFixture {
  emulator: Emulator
  licenseId: string
  lines: GatewayLogLine[]
  /** Sends a request below the base path. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  gateway: (request: Request) => Promise<Response>
}

/** Options of the gateway. By default, its service is the fixture's emulator. */
export interface FixtureOptions extends Omit<Partial<GatewayOptions>, 'upstream'> {
  upstream?: Partial<UpstreamOptions>
}

export interface CallOptions {
  json?: unknown
  headers?: Record<string, string>
}

export async function startService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ accessToken, customers: 0, discounts: 0, ...options })
  onTestEnd(() => emulator.close())
  return emulator
}

export async function startGateway(
  options: FixtureOptions = {},
  service: EmulatorOptions = {},
): Promise<GatewayFixture> {
  const emulator = await startService(service)
  return gatewayOf(emulator, options)
}

export function gatewayOf(emulator: Emulator, options: FixtureOptions = {}): GatewayFixture {
  const lines: GatewayLogLine[] = []
  const { upstream, ...others } = options
  const gateway = createGateway({
    upstream: { baseUrl: emulator.baseUrl, accessToken, ...upstream },
    log: (line) => lines.push(line),
    ...others,
  })
  const call: GatewayFixture['call'] = (method, path, { json, headers = {} } = {}) =>
    gateway(
      new Request(`https://licenses.vendor.example/v1${path}`, {
        method,
        headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    )
  return { emulator, licenseId: emulator.demoLicense.id, lines, call, gateway }
}

/** The nonce of a request for a lease. */
export const nonce = 'n0nce-n0nce-n0nce-n0nce'

/** The headers of a request for a lease. */
export const withNonce: Record<string, string> = { 'latchkey-nonce': nonce }

/** The signing key of a gateway, and the public keys that its apps trust. */
export const signingKey: SigningKey = await generateSigningKey()
export const signing: { keys: SigningKey[] } = { keys: [signingKey] }
export const leaseKeys: LeaseKeys = await leaseKeysOf([signingKey])

/** Returns what a lease says, or why an app doesn't trust it; `null` without a lease. */
export async function leaseClaims(
  lease: string | null,
  about: Partial<LeaseExpectation> = {},
): Promise<LeaseClaims | LeaseRefusal | null> {
  if (lease === null) return null
  const verdict = await verifyLease(lease, { leaseKeys, nowMs: Date.now(), nonce, ...about })
  return verdict.trusted ? verdict.claims : verdict.refusal
}

/** The name of a key in the app's format. */
export const keyName = 'Ada’s laptop [0123456789abcdef]'
