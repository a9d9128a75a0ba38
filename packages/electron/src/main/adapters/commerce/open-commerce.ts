import { createCommerceClient } from '@latchkey/commerce'
import type { Logger } from '../../../core/ports/logger-port.ts'
import type { ServicePort } from '../../../core/ports/service-port.ts'
import type { LicensingSettings } from '../../options/parse-licensing-options.ts'
import { logRequests } from '../log-requests.ts'
import { createAppCommerce } from './app-commerce.ts'
import { createLeaseTrustLog } from './lease-trust-log.ts'
import type { LeaseVerifier } from './lease-verifier.ts'
import { netRequestFetch } from './net-request-fetch.ts'

/** The commerce service, or a gateway in front of it. This module is loaded at the first request. */
export function openCommerce(options: {
  readonly service: LicensingSettings['service']
  readonly leases: LeaseVerifier | undefined
  readonly logger: Logger
  readonly onServerDate: (serverDateMs: number) => void
  readonly onNetworkError: (code: string | null) => void
  /** Called with every license key and ID that is sent and may not be a UUID. */
  readonly onSecret: (text: string) => void
}): ServicePort {
  const { leases, logger, onServerDate, onSecret } = options
  const { baseUrl, accessToken, allowInsecure, timeoutMs, headers, licenseKeys } = options.service
  const fetch = logRequests(netRequestFetch, options)
  return createAppCommerce({
    licenses: createCommerceClient({
      baseUrl,
      accessToken,
      allowInsecure,
      timeout: timeoutMs,
      ids: licenseKeys,
      // The cookies of the app's windows don't belong in these requests.
      fetch: (request, init) => fetch(request, { ...init, credentials: 'omit' }),
    }).licenses,
    headers,
    licenseKeys,
    leases,
    onUntrusted: leases && createLeaseTrustLog(logger, leases.keyIds, baseUrl),
    onServerDate,
    onSecret,
  })
}
