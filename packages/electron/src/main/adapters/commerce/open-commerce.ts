import type { Logger } from '../../../core/ports/logger-port.ts'
import type { ServicePort } from '../../../core/ports/service-port.ts'
import type { LicensingSettings } from '../../options/parse-licensing-options.ts'
import { logRequests } from '../log-requests.ts'
import { createLeaseTrustLog } from './lease-trust-log.ts'
import type { LeaseVerifier } from './lease-verifier.ts'
import { createNetFetchCommerce } from './net-fetch-commerce.ts'
import { netRequestFetch } from './net-request-fetch.ts'

/** The commerce service, or a gateway in front of it. This module is loaded at the first request. */
export function openCommerce(options: {
  readonly service: LicensingSettings['service']
  readonly leases: LeaseVerifier | undefined
  readonly logger: Logger
  readonly onServerDate: (serverDateMs: number) => void
  /** Called with every license key and ID that is sent and may not be a UUID. */
  readonly onSecret: (text: string) => void
}): ServicePort {
  const { service, leases, logger, onServerDate, onSecret } = options
  return createNetFetchCommerce({
    ...service,
    leases,
    onUntrusted: leases && createLeaseTrustLog(logger, leases.keyIds),
    fetch: logRequests(netRequestFetch, logger),
    onServerDate,
    onSecret,
  })
}
