import type { LicenseService, ServiceCall } from '@latchkey/services'

/** The calls of a service that send requests. */
export type ServiceOperation =
  | 'activate'
  | 'validate'
  | 'deactivate'
  | 'listActivations'
  | 'showActivation'
  | 'showLicense'

/**
 * The same service, with these options in each call, as the app adds its network.
 *
 * @param optionsOf the options, which win over those of the caller.
 */
export function withCall(
  service: LicenseService,
  optionsOf: (operation: ServiceOperation) => ServiceCall,
): LicenseService {
  const { listActivations, showActivation, showLicense } = service
  const bind =
    <Request, Value>(
      operation: ServiceOperation,
      send: (request: Request, call?: ServiceCall) => Promise<Value>,
    ) =>
    (request: Request, call?: ServiceCall): Promise<Value> =>
      send(request, { ...call, ...optionsOf(operation) })
  return {
    ...service,
    activate: bind('activate', service.activate),
    validate: bind('validate', service.validate),
    deactivate: bind('deactivate', service.deactivate),
    ...(listActivations && { listActivations: bind('listActivations', listActivations) }),
    ...(showActivation && { showActivation: bind('showActivation', showActivation) }),
    ...(showLicense && { showLicense: bind('showLicense', showLicense) }),
  }
}
