import { createGateway, generateSigningKey, leaseKeysOf } from '@latchkey/gateway'
import { expect } from 'vitest'
import type { OfflinePort } from '../../../../src/core/ports.ts'
import { createLeaseVerifier } from '../../../../src/main/adapters/leases.ts'
import { createOfflinePort } from '../../../../src/main/adapters/offline-port.ts'
import { reachGateway } from '../../../doubles/app-service.ts'
import type { MemoryStore } from '../../../doubles/memory-store.ts'
import { createTestDevice, startTestService, type TestDevice, type TestService } from '../../fixture.ts'

/** Address of the page that answers requests. */
export const url = 'https://licenses.vendor.example/v1/offline'
const signingKey = await generateSigningKey()
const verifier = createLeaseVerifier((await leaseKeysOf([signingKey])).keys)

/** A computer that is without internet until a test says otherwise. */
export interface Computer extends TestDevice {
  isOnline: boolean
}

type GatewayOptions = Partial<Parameters<typeof createGateway>[0]>

export interface ComputerOptions {
  readonly store?: MemoryStore
  /** `null` for an app without activation for such computers. */
  readonly loadPort?: (() => Promise<OfflinePort>) | null
}

/** Computers without internet, and the page on another device. */
export interface Surroundings {
  readonly service: TestService
  computer(options?: ComputerOptions): Computer
  /** What the page on another device does with the text of a request or of a release code. */
  onPage(request: string, action?: string, options?: GatewayOptions): ReturnType<Response['json']>
  activateOffline(device: Computer, licenseKey: string): Promise<void>
}

export async function loadOfflinePort(): Promise<OfflinePort> {
  return createOfflinePort({ appId: 'com.example.notes', url, verifier })
}

export async function startSurroundings(): Promise<Surroundings> {
  const service = await startTestService()

  function gatewayWith(options: GatewayOptions = {}) {
    const { baseUrl, accessToken = 'demo' } = service.emulator
    return createGateway({
      upstream: { baseUrl, accessToken: accessToken ?? 'demo' },
      signing: { keys: [signingKey] },
      offline: { days: 365 },
      ...options,
    })
  }

  // An empty list proves nothing to a gateway whose service never knew a key.
  const gateway = gatewayWith()

  function computer({ store, loadPort = loadOfflinePort }: ComputerOptions = {}): Computer {
    const device: Computer = Object.assign(
      createTestDevice(null, {
        ...(store && { store }),
        device: { machineId: 'machine-one', source: 'machine-id' },
        leases: verifier,
        ...(loadPort && { offline: loadPort }),
        service: reachGateway({
          baseUrl: 'https://licenses.vendor.example/v1',
          leases: verifier,
          fetch: async (request, init) => {
            if (!device.isOnline) throw new Error('net::ERR_INTERNET_DISCONNECTED')
            return gateway(new Request(request, init))
          },
        }),
      }),
      { isOnline: false },
    )
    return device
  }

  async function onPage(request: string, action?: string, options?: GatewayOptions) {
    const answer = await (options === undefined ? gateway : gatewayWith(options))(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request, action }),
      }),
    )
    return answer.json()
  }

  async function activateOffline(device: Computer, licenseKey: string): Promise<void> {
    const request = await device.core.createOfflineRequest(licenseKey)
    if (!request.ok) throw new Error(request.problem.code)
    const { answer } = await onPage(request.text)
    expect(await device.core.activateOffline(answer)).toMatchObject({ ok: true })
  }
  return { service, computer, onPage, activateOffline }
}
