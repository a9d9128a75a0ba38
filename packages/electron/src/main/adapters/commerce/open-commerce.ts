import { createAppLicenses } from '@latchkey/commerce/app-client'
import type { Logger } from '../../../core/ports/logger-port.ts'
import type { ServicePort } from '../../../core/ports/service-port.ts'
import type { LicensingSettings } from '../../options/parse-licensing-options.ts'
import { logExchanges } from '../log-requests.ts'
import { createAppCommerce } from './app-commerce.ts'
import { createLeaseTrustLog } from './lease-trust-log.ts'
import type { LeaseVerifier } from './lease-verifier.ts'
import { netExchange } from './net-exchange.ts'

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
  return createAppCommerce({
    licenses: createAppLicenses(
      { baseUrl, accessToken, allowInsecure, timeout: timeoutMs, ids: licenseKeys },
      logExchanges(netExchange, options),
    ),
    headers,
    licenseKeys,
    leases,
    onUntrusted: leases && createLeaseTrustLog(logger, leases.keyIds, baseUrl),
    onServerDate,
    onSecret,
  })
}
