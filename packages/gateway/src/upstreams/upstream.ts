import type { LicenseService, ServiceCall } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import { GatewayConfigError } from '../gateway-config-error.ts'
import type { Upstream, UpstreamFetch, UpstreamOptions } from '../gateway-options.ts'
import { createSlidingWindow } from '../limits/rate-limiter.ts'
import { createMemory, type Memory } from '../memory.ts'

/** A service that can list the devices of a license. */
export type ListingService = LicenseService & Required<Pick<LicenseService, 'listActivations'>>

/** A service behind the gateway, with checked options. */
export interface OpenedUpstream {
  readonly service: ListingService
  /** Returns how requests about a license are sent. */
  call(about: { readonly licenseKey: string; readonly isActivation?: boolean }): ServiceCall
  /** License keys of which the service has shown an activation since the gateway started. */
  readonly known: Memory<true>
  /** License keys that the service called good since then. Their requests aren't a stranger's. */
  readonly good: Memory<true>
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
  const headers = isAdapter ? undefined : { [viaHeader]: service.baseUrl }
  const perMinute = perUpstream ?? service.capabilities.requestsPerMinute ?? false
  const known = createMemory<true>(maxKnown)
  const good = createMemory<true>(maxKnown)
  const budget = perMinute === false ? null : createRequestBudget(perMinute, clock)
  return {
    service,
    known,
    good,
    budget,
    usesUuids: !isAdapter,
    call({ licenseKey, isActivation = false }) {
      const sent = budget?.counted(fetch, isActivation || good.has(licenseKey)) ?? fetch
      return { fetch: sent, timeoutMs, headers }
    },
  }
}

function commerceOf({ baseUrl, accessToken, allowInsecure }: UpstreamOptions): LicenseService {
  return commerce({ baseUrl: String(baseUrl), accessToken, allowInsecure })
}

function listsActivations(service: LicenseService): service is ListingService {
  return service.capabilities.listsActivations && service.listActivations !== undefined
}

/** How many requests a minute a gateway sends to a service, which counts all customers of a gateway as one address. */
export interface RequestBudget {
  /** Whether half of the requests of this minute are used, so that answers are repeated from memory. */
  isTight(): boolean
  /**
   * Counts the requests that a `fetch` sends. Half of the budget is kept for the preferred ones: a stranger's requests are
   * refused first. A refused request gets the service's own answer, a 429.
   */
  counted(fetch: UpstreamFetch | undefined, isPreferred: boolean): UpstreamFetch
}

function createRequestBudget(perMinute: number, clock: () => number): RequestBudget {
  const window = createSlidingWindow({ windowMs: 60_000, clock })
  const half = Math.max(1, Math.floor(perMinute / 2))
  return {
    isTight: () => window.used('all') >= half,
    counted(fetch = globalThis.fetch, isPreferred) {
      return async (request, init) => {
        const isServed =
          window.used('all') + 1 <= perMinute &&
          (isPreferred || window.take('strangers', half).allowed) &&
          window.take('all', perMinute).allowed
        if (isServed) return fetch(request, init)
        const seconds = Math.max(1, Math.ceil(window.remainingMs() / 1000))
        return new Response(null, { status: 429, headers: { 'retry-after': String(seconds) } })
      }
    },
  }
}
