import { createGateway, generateSigningKey, leaseKeysOf, type SigningKey } from '@latchkey/gateway'
import { expect } from 'vitest'
import type { OfflinePort } from '../../../../src/core/ports.ts'
import { createLeaseVerifier, type LeaseVerifier } from '../../../../src/main/adapters/leases.ts'
import { createOfflinePort } from '../../../../src/main/adapters/offline-port.ts'
import { reachGateway } from '../../../doubles/app-service.ts'
import type { MemoryStore } from '../../../doubles/memory-store.ts'
import { createTestDevice, dayMs, serviceForTests, type TestDevice, type TestService } from '../../fixture.ts'

/** Address of the page that answers requests. */
export const url = 'https://licenses.vendor.example/v1/offline'
export const signingKey: SigningKey = await generateSigningKey()
const trusted = await verifierOf([signingKey])

/** Trusts what these keys signed. */
export async function verifierOf(keys: readonly SigningKey[]): Promise<LeaseVerifier> {
  return createLeaseVerifier((await leaseKeysOf(keys)).keys)
}

/** A computer that is without internet until a test says otherwise. */
export interface Computer extends TestDevice {
  isOnline: boolean
}

export interface ComputerOptions {
  readonly appId?: string
  readonly machineId?: string
  readonly store?: MemoryStore
  /** The keys that its app trusts. @default the gateway's */
  readonly verifier?: LeaseVerifier
  /** `null` for an app without activation for such computers. */
  readonly loadPort?: (() => Promise<OfflinePort>) | null
}

/** Computers without internet, and the page on another device. */
export interface Surroundings {
  readonly service: TestService
  computer(options?: ComputerOptions): Computer
  /** What the page on another device does with the text of a request or of a release code. */
  onPage(text: string, action?: string, days?: number): ReturnType<Response['json']>
  requestOn(device: TestDevice, licenseKey: string): Promise<string>
  /** Opens a request on another device with internet. */
  answerTo(request: string, days?: number): Promise<string>
  activateOffline(device: Computer, licenseKey: string, days?: number): Promise<void>
  /** A computer that was activated without internet. */
  activated(
    options?: ComputerOptions,
    days?: number,
  ): Promise<{ readonly device: Computer; readonly id: string }>
}

export async function loadOfflinePort(
  appId = 'com.example.notes',
  verifier: LeaseVerifier = trusted,
): Promise<OfflinePort> {
  return createOfflinePort({ appId, url, verifier })
}

export async function startSurroundings(): Promise<Surroundings> {
  const service = await serviceForTests()
  // The gateway's time passes with that of the latest computer.
  let latest: TestDevice | null = null

  function gatewayWith(days: number) {
    const { baseUrl, accessToken } = service.emulator
    return createGateway({
      upstream: { baseUrl, accessToken: accessToken ?? 'demo' },
      signing: { keys: [signingKey] },
      offline: { days },
      plan: () => 'Pro',
      features: () => ['export'],
      clock: () => Date.now() + (latest?.elapsedMs() ?? 0),
    })
  }

  // An empty list proves nothing to a gateway whose service never knew a key.
  const gateway = gatewayWith(365)

  async function onPage(request: string, action?: string, days?: number) {
    const answer = await (days === undefined ? gateway : gatewayWith(days))(
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request, action }),
      }),
    )
    return answer.json()
  }

  async function requestOn(device: TestDevice, licenseKey: string): Promise<string> {
    const request = await device.core.createOfflineRequest(`My key is ${licenseKey}`)
    if (!request.ok) throw new Error(request.problem.code)
    return request.text
  }

  async function answerTo(request: string, days?: number): Promise<string> {
    const { answer } = await onPage(request, undefined, days)
    return answer
  }

  const surroundings: Surroundings = {
    service,
    computer(options = {}) {
      const { appId, machineId = 'machine-one', store, verifier = trusted, loadPort } = options
      const device: Computer = Object.assign(
        createTestDevice(null, {
          ...(store && { store }),
          device: { machineId, source: 'machine-id' },
          rules: { renewalNoticeMs: 14 * dayMs },
          leases: verifier,
          ...(loadPort !== null && { offline: loadPort ?? (() => loadOfflinePort(appId, verifier)) }),
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
      latest = device
      return device
    },
    onPage,
    requestOn,
    answerTo,
    async activateOffline(device, licenseKey, days) {
      const answer = await answerTo(await requestOn(device, licenseKey), days)
      expect(await device.core.activateOffline(answer)).toMatchObject({ ok: true })
    },
    async activated(options, days) {
      const device = surroundings.computer(options)
      const { id } = service.newLicense()
      await surroundings.activateOffline(device, id, days)
      return { device, id }
    },
  }
  return surroundings
}
