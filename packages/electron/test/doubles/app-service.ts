import type { Fetch } from '@latchkey/commerce'
import type { LeaseKey } from '@latchkey/gateway'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import type { LeasePort } from '../../src/core/ports/lease-port.ts'
import type { ServicePort } from '../../src/core/ports/service-port.ts'
import { createLeaseVerifier } from '../../src/main/adapters/commerce/lease-verifier.ts'
import { createNetFetchCommerce } from './net-fetch-commerce.ts'
import { countCalls, withCall } from './with-call.ts'

/** The commerce service or a gateway, as an app reaches it. */
export interface AppService {
  readonly service: LicenseService
  /** Verifies the gateway's leases; `undefined` without them. */
  readonly leases: LeasePort | undefined
  /** Replaces `service` with leases, which no adapter reads yet. */
  readonly earlierPort: ServicePort | undefined
}

/** Creates the service of an app that sends its requests through `fetch`. */
export function createAppService(options: {
  readonly fetch: Fetch
  readonly baseUrl: string
  readonly accessToken?: string | undefined
  /** The gateway's public keys, if it signs its answers. */
  readonly leaseKeys?: readonly LeaseKey[] | undefined
  /** Gets 1 when a call begins, and -1 when it ends. */
  readonly count?: (change: number) => void
}): AppService {
  const { fetch, baseUrl, accessToken, leaseKeys, count = () => {} } = options
  const timeoutMs = 10_000
  const reached = withCall(commerce({ baseUrl, accessToken }), () => ({ fetch, timeoutMs }))
  const leases = leaseKeys && createLeaseVerifier(leaseKeys)
  return {
    service: countCalls(reached, count),
    leases,
    earlierPort: leases && counted(createNetFetchCommerce({ baseUrl, leases, timeoutMs, fetch }), count),
  }
}

function counted(
  port: ReturnType<typeof createNetFetchCommerce>,
  count: (change: number) => void,
): ServicePort {
  const counting =
    <Args extends readonly unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      count(1)
      try {
        return await call(...args)
      } finally {
        count(-1)
      }
    }
  // Without `end`: the same port serves every launch.
  return {
    ids: port.ids,
    keys: counting(port.keys),
    key: counting(port.key),
    activate: counting(port.activate),
    validate: counting(port.validate),
    deactivate: counting(port.deactivate),
  }
}
