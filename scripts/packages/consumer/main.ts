import '@latchkey/electron'
import { createCommerceClient, type Page } from '@latchkey/commerce'
import type { CommerceClient } from '@latchkey/commerce/client'
import { createHttpClient } from '@latchkey/commerce/http'
import { checkOptions } from '@latchkey/commerce/options'
import { licenseSchema } from '@latchkey/commerce/schemas'
import { createLicensing, type Licensing, type LicensingState } from '@latchkey/electron/main'
import { type GuardedUpdater, guardUpdates } from '@latchkey/electron/updates'
import { type Emulator, startEmulator } from '@latchkey/emulator'
import { createGateway } from '@latchkey/gateway'
import { createIssuer } from '@latchkey/gateway/issuer'
import { startGatewayServer } from '@latchkey/gateway/node'
import { type LicenseService, readVerdict } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { dodo } from '@latchkey/services/dodo'
import { readService } from '@latchkey/services/environment'
import { issueLicenseKey } from '@latchkey/services/issue'
import { keygen } from '@latchkey/services/keygen'
import { type LeaseClaims, leaseClaimsSchema } from '@latchkey/services/leases'
import { lemonSqueezy } from '@latchkey/services/lemon-squeezy'
import { findLicenseKey } from '@latchkey/services/license-key'
import { createNodeClient } from '@latchkey/services/node'
import { type OfflineRequestReading, readOfflineRequest } from '@latchkey/services/offline'
import { polar } from '@latchkey/services/polar'
import { signedKeys } from '@latchkey/services/signed-keys'

const licensing: Licensing = createLicensing({
  appId: 'com.example.consumer',
  service: { baseUrl: 'https://licensing.example.com/v1' },
})
licensing.subscribe((state: LicensingState) => {
  if (state.status === 'grace') new Date(state.graceEndsAt)
  // @ts-expect-error: an untyped state would be `any`.
  state.nothing
})

export function updates(updater: GuardedUpdater): void {
  guardUpdates(licensing, updater)
}

export function offlineRequestIn(text: string): OfflineRequestReading {
  return readOfflineRequest(text)
}

export function claimsIn(lease: unknown): LeaseClaims {
  return leaseClaimsSchema.parse(lease)
}

export async function everything(): Promise<unknown> {
  const { fetch } = createNodeClient()
  const commerce: CommerceClient = createCommerceClient({
    baseUrl: 'https://licensing.example.com/v1',
    fetch,
  })
  const customers: Page<unknown> = await commerce.customers.list()
  const emulator: Emulator = await startEmulator()
  return [
    customers,
    emulator.baseUrl,
    licenseSchema,
    checkOptions,
    createHttpClient,
    issueLicenseKey,
    createGateway,
    createIssuer,
    startGatewayServer,
  ]
}

const device = { deviceName: 'Laptop', fingerprint: '0123456789abcdef' }

export async function everyService(): Promise<string> {
  const services: readonly LicenseService[] = [
    commerce({ baseUrl: 'https://licensing.example.com/v1' }),
    dodo({ productId: 'pdt_1234' }),
    keygen({ account: 'inkwell', product: 'inkwell' }),
    lemonSqueezy({ storeId: 1, productId: 2 }),
    polar({ organizationId: 'fda84e25-7b55-4d67-916d-60ead04ff72f' }),
    signedKeys({ product: 'inkwell', publicKeys: [process.env['PUBLIC_KEY'] ?? ''] }),
    readService('polar', process.env, []) ?? dodo({ productId: 'pdt_1234' }),
  ]
  const found = findLicenseKey('INKWELL', 'any')
  if (!found.ok) return found.code
  const outcome = await services[0]?.activate({ licenseKey: found.licenseKey, ...device })
  if (outcome?.kind !== 'answer') return outcome?.kind ?? 'none'
  // @ts-expect-error: an untyped license would be `any`.
  outcome.value.license.nothing
  return readVerdict(outcome.value.license, Date.now())
}
