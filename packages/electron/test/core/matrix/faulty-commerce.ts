import type { Emulator, Operation } from '@latchkey/emulator'
import type { CommercePort } from '../../../src/core/ports/commerce-port.ts'
import { createNetFetchCommerce } from '../../doubles/net-fetch-commerce.ts'
import type { Fault } from './faults.ts'

/** The real client, with a separate network for the faulty operation. */
export function faultyCommerce(
  emulator: Emulator,
  operation: Operation,
  network: { readonly fault: Fault | null },
): CommercePort {
  const { baseUrl, accessToken } = emulator
  const reach = (timeoutMs: number): CommercePort =>
    createNetFetchCommerce({
      baseUrl,
      accessToken: accessToken ?? undefined,
      timeoutMs,
      fetch: (request, init) => {
        const { fault } = network
        return fault?.reroute === undefined || operationOf(request) !== operation
          ? fetch(request, init)
          : fetch(elsewhere(request.url, fault.reroute), { method: request.method, signal: request.signal })
      },
    })
  // Only requests without an answer time out, and by then the service has acted, even on a slow machine.
  const patient = reach(20_000)
  const hasty = reach(4000)
  const using = (own: Operation): CommercePort =>
    own === operation && network.fault?.isSilent === true ? hasty : patient
  return {
    keys: (...args) => using('keys').keys(...args),
    key: (...args) => using('key').key(...args),
    activate: (...args) => using('activate').activate(...args),
    validate: (...args) => using('validate').validate(...args),
    deactivate: (...args) => using('deactivate').deactivate(...args),
  }
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
