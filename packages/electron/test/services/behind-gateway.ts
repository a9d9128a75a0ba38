import { createGateway, type GatewayOptions, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { createLeaseVerifier } from '../../src/main/adapters/leases.ts'
import { createTestDevice, type TestDevice, type TestDeviceOptions } from '../core/fixture.ts'
import { reachGateway } from '../doubles/app-service.ts'

const signingKey = await generateSigningKey()
const { keys: leaseKeys } = await leaseKeysOf([signingKey])

/** The option `signing` of a gateway whose public keys the apps have. */
export const signing: NonNullable<GatewayOptions['signing']> = { keys: [signingKey], leaseDays: 7 }

/** A vendor's gateway, and devices whose apps have its address. */
export interface GatewayScene {
  readonly gateway: (request: Request) => Promise<Response>
  /** Answers in place of the gateway from now on; `null` lets the gateway answer. */
  answer: ((request: Request) => Response | Promise<Response>) | null
  device(options?: TestDeviceOptions): TestDevice
  /** The gateway's time. */
  nowMs(): number
}

/**
 * Creates a gateway whose clock advances with its devices.
 *
 * @param app whether the app has the gateway's public keys, by default if it signs, and the app's option `licenseKeys`
 */
export function startGateway(
  options: Omit<GatewayOptions, 'clock'>,
  app: { readonly isSigned?: boolean; readonly licenseKeys?: 'any' | undefined } = {},
): GatewayScene {
  const { isSigned = options.signing !== undefined, licenseKeys } = app
  const startMs = Date.now()
  const devices: TestDevice[] = []
  const nowMs = (): number => startMs + Math.max(0, ...devices.map((device) => device.elapsedMs()))
  const gateway = createGateway({
    limits: { perLicense: false },
    clock: nowMs,
    ...options,
  })
  const scene: GatewayScene = {
    gateway,
    nowMs,
    answer: null,
    device(deviceOptions = {}) {
      const leases = isSigned ? createLeaseVerifier(leaseKeys) : undefined
      const service = reachGateway({
        baseUrl: 'https://licenses.vendor.example/v1',
        licenseKeys,
        leases,
        fetch: async (request, init) => (scene.answer ?? gateway)(new Request(request, init)),
      })
      const device = createTestDevice(null, { service, ...(leases && { leases }), ...deviceOptions })
      devices.push(device)
      return device
    },
  }
  return scene
}
