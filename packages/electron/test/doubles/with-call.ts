import type { LicenseRequest, LicenseService, Outcome, ServiceCall } from '@latchkey/services'

/** The calls of a service that send requests. */
export type ServiceOperation =
  | 'activate'
  | 'validate'
  | 'deactivate'
  | 'listActivations'
  | 'showActivation'
  | 'showLicense'

/** Makes one call. It passes its options on. */
type Send<Value> = (options?: ServiceCall) => Promise<Outcome<Value>>

/**
 * The same service, with something around each call that sends requests.
 *
 * @param around makes the call with `send`, and may change its outcome.
 */
export function wrapCalls(
  service: LicenseService,
  around: <Value>(operation: ServiceOperation, send: Send<Value>) => Promise<Outcome<Value>>,
): LicenseService {
  const { listActivations, showActivation, showLicense } = service
  const wrap =
    <Request extends LicenseRequest, Value>(
      operation: ServiceOperation,
      call: (request: Request, options?: ServiceCall) => Promise<Outcome<Value>>,
    ) =>
    (request: Request, given?: ServiceCall): Promise<Outcome<Value>> =>
      around<Value>(operation, (options) => call(request, { ...given, ...options }))
  return {
    ...service,
    activate: wrap('activate', service.activate),
    validate: wrap('validate', service.validate),
    deactivate: wrap('deactivate', service.deactivate),
    ...(listActivations && { listActivations: wrap('listActivations', listActivations) }),
    ...(showActivation && { showActivation: wrap('showActivation', showActivation) }),
    ...(showLicense && { showLicense: wrap('showLicense', showLicense) }),
  }
}

/**
 * The same service, with these options in each call, as the app adds its network.
 *
 * @param optionsOf the options, which win over those of the caller.
 */
export function withCall(
  service: LicenseService,
  optionsOf: (operation: ServiceOperation) => ServiceCall,
): LicenseService {
  return wrapCalls(service, (operation, send) => send(optionsOf(operation)))
}

/** The same service. `count` gets 1 when a call begins, and -1 when it ends. */
export function countCalls(service: LicenseService, count: (change: number) => void): LicenseService {
  return wrapCalls(service, async (_operation, send) => {
    count(1)
    try {
      return await send()
    } finally {
      count(-1)
    }
  })
}
