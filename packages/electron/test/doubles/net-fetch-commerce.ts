import { createCommerceClient, type Fetch } from '@latchkey/commerce'
import type { ServicePort } from '../../src/core/ports/service-port.ts'
import { type AppCommerceOptions, createAppCommerce } from '../../src/main/adapters/commerce/app-commerce.ts'
import type { GatewayPort } from '../../src/main/adapters/commerce/gateway-port.ts'

/** The port's options, and how to reach the service without Electron. */
export interface NetFetchCommerceOptions extends Omit<AppCommerceOptions, 'licenses'> {
  readonly fetch: Fetch
  readonly baseUrl: string
  readonly accessToken?: string | undefined
  readonly timeoutMs?: number | undefined
  readonly allowInsecure?: boolean | undefined
}

/** The app's port to the service over a `fetch`, as tests on Node have it. */
export function createNetFetchCommerce(
  options: NetFetchCommerceOptions,
): GatewayPort & Pick<ServicePort, 'ids'> {
  const { baseUrl, accessToken, allowInsecure, timeoutMs, licenseKeys, fetch } = options
  const client = createCommerceClient({
    baseUrl,
    accessToken,
    allowInsecure,
    timeout: timeoutMs,
    ids: licenseKeys,
    fetch,
  })
  return { ...createAppCommerce({ ...options, licenses: client.licenses }), ids: licenseKeys ?? 'uuid' }
}
