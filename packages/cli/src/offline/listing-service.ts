import type { LicenseService } from '@latchkey/services'
import type { OfflineActivationService } from '@latchkey/services/offline'
import { unlistedError } from '../services/outcome-error.ts'
import type { ServiceContext } from '../services/service-context.ts'

/** @throws {UsageError} if the service doesn't list devices, so that asking twice could take two seats. */
export function listingService({ service, call }: ServiceContext): OfflineActivationService {
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
