import type { LicenseService, ServiceCall } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { GatewayConfigError } from '../gateway-config-error.ts'
import type { Upstream, UpstreamOptions } from '../gateway-options.ts'
import { createMemory, type Memory } from '../memory.ts'
import { createRequestBudget, type RequestBudget } from './request-budget.ts'

/** A service that can list the devices of a license. */
export type ListingService = LicenseService & Required<Pick<LicenseService, 'listActivations'>>

/** A service behind the gateway, with checked options. */
export interface OpenedUpstream {
  readonly service: ListingService
  /** Returns how requests about a license are sent. */
  call(about: { licenseKey: string; isActivation: boolean }): ServiceCall
  /** License keys of which the service has shown an activation since the gateway started. */
  readonly known: Memory<true>
  /** Limits the requests; `null` if the service's own limit isn't known. */
  readonly budget: RequestBudget | null
  /** Whether its license keys and IDs are UUIDs, which are compared in lower case. */
  readonly usesUuids: boolean
}

/** The request header with the address to which a gateway sends a request, so that it recognizes one that comes back. */
export const viaHeader = 'latchkey-via'

/** Most license keys to remember. */
const maxKnown = 100_000

/** What all services of a gateway share. */
export interface UpstreamSettings {
  readonly call: ServiceCall
  /** Requests a minute to each service; `undefined` for what the service allows. */
  readonly perUpstream: number | false | undefined
  readonly clock: () => number
}

/** @throws {GatewayConfigError} if the service can't list devices. */
export function openUpstream(
  upstream: Upstream,
  { call, perUpstream, clock }: UpstreamSettings,
): OpenedUpstream {
  const isAdapter = 'findLicenseKey' in upstream
  const service = isAdapter ? upstream : commerceOf(upstream)
  if (!listsActivations(service)) {
    throw new GatewayConfigError([
      `upstream must be given your secret of ${service.name} (its option apiKey or accessToken): without it the gateway can't list devices.`,
    ])
  }
  const { fetch = call.fetch, timeoutMs = call.timeoutMs }: ServiceCall = isAdapter ? {} : upstream
  const sent: ServiceCall = {
    fetch,
    timeoutMs,
    ...(!isAdapter && { headers: { [viaHeader]: service.baseUrl } }),
  }
  const perMinute = perUpstream ?? service.capabilities.requestsPerMinute ?? false
  const known = createMemory<true>(maxKnown)
  const budget = perMinute === false ? null : createRequestBudget(perMinute, clock)
  return {
    service,
    known,
    budget,
    usesUuids: !isAdapter,
    call: (about) => (budget === null ? sent : { ...sent, fetch: budget.counted(sent.fetch, about) }),
  }
}

function commerceOf({ baseUrl, accessToken, allowInsecure }: UpstreamOptions): LicenseService {
  return commerce({ baseUrl: String(baseUrl), accessToken, allowInsecure })
}

function listsActivations(service: LicenseService): service is ListingService {
  return service.capabilities.listsActivations && service.listActivations !== undefined
}
