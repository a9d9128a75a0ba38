import type { Fetch } from '@latchkey/commerce'
import type { LeaseKey } from '@latchkey/gateway'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import type { LeasePort, Logger } from '../../src/core/ports.ts'
import {
  createConnectionFacts,
  createAppService as createRealAppService,
} from '../../src/main/adapters/app-service.ts'
import { createLeaseVerifier, type LeaseVerifier, signedGateway } from '../../src/main/adapters/leases.ts'
import { createRecordingLogger } from './recording-logger.ts'
import { countCalls, withCall } from './with-call.ts'

/** The commerce service or a gateway, as an app reaches it. */
export interface AppService {
  readonly service: LicenseService
  /** Verifies the gateway's leases; `undefined` without them. */
  readonly leases: LeasePort | undefined
}

/** Creates the service of an app that sends its requests through `fetch`. */
export function createAppService(options: {
  readonly fetch: Fetch
  readonly baseUrl: string
  readonly accessToken?: string | undefined
  readonly licenseKeys?: 'uuid' | 'any' | undefined
  /** Time limit of a request, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined
  /** The gateway's public keys, if it signs its answers. */
  readonly leaseKeys?: readonly LeaseKey[] | undefined
  /** Gets 1 when a call begins, and -1 when it ends. */
  readonly count?: (change: number) => void
}): AppService {
  const {
    fetch,
    baseUrl,
    accessToken,
    licenseKeys,
    leaseKeys,
    timeoutMs = 10_000,
    count = () => {},
  } = options
  const leases = leaseKeys && createLeaseVerifier(leaseKeys)
  const service = reachGateway({ fetch, baseUrl, accessToken, licenseKeys, leases, timeoutMs })
  return { service: countCalls(service, count), leases }
}

/** An adapter, as an app reaches it through `fetch`. */
export function reach(options: {
  readonly service: LicenseService
  readonly fetch: Fetch
  /** Whether license keys of the service's test mode may be activated. @default true */
  readonly allowsTestLicense?: boolean | undefined
}): LicenseService {
  const { service, fetch, allowsTestLicense = true } = options
  return createRealAppService(service, {
    fetch,
    logger: createRecordingLogger(),
    isPackaged: !allowsTestLicense,
    isAdapter: true,
    connection: createConnectionFacts(),
    sentKeys: new Set(),
  })
}

/** The commerce service or a gateway, as an app reaches it through `fetch`. */
export function reachGateway(options: {
  readonly fetch: Fetch
  readonly baseUrl: string
  readonly accessToken?: string | undefined
  readonly licenseKeys?: 'uuid' | 'any' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeoutMs?: number | undefined
  /** Set if the gateway signs its answers. */
  readonly leases?: LeaseVerifier | undefined
  readonly logger?: Logger | undefined
}): LicenseService {
  const { fetch, timeoutMs = 10_000, leases, logger = createRecordingLogger(), ...address } = options
  const client = commerce(address)
  const signed = leases === undefined ? client : signedGateway(client, leases, logger)
  return withCall(signed, () => ({ fetch, timeoutMs }))
}
