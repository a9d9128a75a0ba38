import { isTestLicense, type LicenseService } from '@latchkey/services'
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

/** Returns the service as packaged apps and gateways use it: without license keys of test mode that aren't allowed. */
export function withoutTestLicenses(
  { service }: ServiceContext,
  listing: OfflineActivationService,
): OfflineActivationService {
  return {
    ...listing,
    activate: (request) => listing.activate({ ...request, allowsTestLicense: false }),
    async validate(request) {
      const outcome = await listing.validate(request)
      if (outcome.kind !== 'answer' || !isTestLicense(service, outcome.value.license)) return outcome
      const { value, serverDateMs } = outcome
      return {
        kind: 'refusal',
        reason: 'test-license',
        license: value.license,
        leftoverActivationId: null,
        httpStatus: 200,
        serverDateMs,
      }
    },
  }
}
