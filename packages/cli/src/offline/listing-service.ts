import type { LicenseService } from '@latchkey/services'
import type { OfflineActivationService } from '@latchkey/services/offline'
import { isUuid, otherServiceAdvice } from '../identifiers.ts'
import { unlistedError } from '../services/outcome-error.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { UsageError } from '../usage-error.ts'

/**
 * Returns the service that a license belongs to.
 *
 * @throws {UsageError} if the service has no license keys of this form, or if it doesn't list devices, so that asking
 * twice could take two seats.
 */
export function listingService(
  { service, call }: ServiceContext,
  licenseKey: string,
): OfflineActivationService {
  if (service.name === 'commerce' && !isUuid(licenseKey)) {
    throw new UsageError(`The license key in the text isn’t a UUID. ${otherServiceAdvice}`)
  }
  const { listActivations } = service
  if (listActivations === undefined) throw unlistedError()
  const list: NonNullable<LicenseService['listActivations']> = listActivations.bind(service)
  return {
    listActivations: (request) => list(request, call),
    activate: (request) => service.activate(request, call),
    validate: (request) => service.validate(request, call),
    deactivate: (request) => service.deactivate(request, call),
  }
}
