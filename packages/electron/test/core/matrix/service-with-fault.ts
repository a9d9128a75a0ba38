import type { Emulator, Operation } from '@latchkey/emulator'
import type { LicenseService } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { type ServiceOperation, withCall } from '../../doubles/with-call.ts'
import type { Fault } from './faults.ts'

/** The service over a network in which one operation meets the fault. */
export function serviceWithFault(
  { baseUrl, accessToken }: Emulator,
  operation: Operation,
  network: { readonly fault: Fault | null },
): LicenseService {
  const service = commerce({ baseUrl, accessToken: accessToken ?? undefined })
  return withCall(service, (call) => ({
    // Only requests without an answer time out, and by then the service has acted, even on a slow machine.
    timeoutMs: network.fault?.isSilent === true && wireNames[call] === operation ? 4000 : 60_000,
    fetch: (request, init) => {
      const { fault } = network
      return fault?.reroute === undefined || operationOf(request) !== operation
        ? fetch(request, init)
        : fetch(elsewhere(request.url, fault.reroute), { method: request.method, signal: request.signal })
    },
  }))
}

const wireNames: Readonly<Partial<Record<ServiceOperation, Operation>>> = {
  activate: 'activate',
  validate: 'validate',
  deactivate: 'deactivate',
  listActivations: 'keys',
  showActivation: 'key',
}

function operationOf(request: Request): Operation {
  const path = new URL(request.url).pathname
  if (path.endsWith('/keys')) return 'keys'
  if (path.endsWith('/activate')) return 'activate'
  if (path.endsWith('/validate')) return 'validate'
  return path.endsWith('/deactivate') ? 'deactivate' : 'key'
}

function elsewhere(address: string, where: NonNullable<Fault['reroute']>): URL {
  const url = new URL(address)
  switch (where) {
    case 'closed port':
      url.port = '1'
      return url
    case 'unknown host':
      url.hostname = 'no-such-host.invalid'
      return url
    case 'no TLS':
      url.protocol = 'https:'
      return url
  }
}
