import type { LicenseService } from '@latchkey/services'
import type { LeasePort } from '../../../core/ports/lease-port.ts'
import type { Logger } from '../../../core/ports/logger-port.ts'
import type { ServicePort } from '../../../core/ports/service-port.ts'
import { netRequestFetch } from '../commerce/net-request-fetch.ts'
import { logRequests } from '../log-requests.ts'
import { createServicePort } from './create-service-port.ts'
import { warnOfAnotherAddress } from './warn-of-another-address.ts'

/** A service behind an adapter of `@latchkey/services`. This module is loaded at the first request. */
export function openAdapter(options: {
  readonly service: LicenseService
  readonly logger: Logger
  readonly signedAnswers: LeasePort | undefined
  /** Whether this is a packaged app, where license keys of the service's test mode may not be activated. */
  readonly isPackaged: boolean
  readonly onServerDate: (serverDateMs: number) => void
  readonly onNetworkError: (code: string | null) => void
  /** Called with every license key and ID that the adapter sends. */
  readonly onSecret: (text: string) => void
}): ServicePort {
  const { service, logger, isPackaged } = options
  const fetch = logRequests(netRequestFetch, options)
  return createServicePort({
    ...options,
    allowsTestLicense: !isPackaged,
    fetch: isPackaged ? fetch : warnOfAnotherAddress(fetch, service, logger),
    onMisconfigured: (detail) =>
      logger.error(`${service.name} can't do what this app needs, as it is set up: ${detail}`),
  })
}
