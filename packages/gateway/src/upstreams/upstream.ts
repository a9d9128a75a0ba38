import { OptionsError } from '@latchkey/commerce/options'
import type { LicenseService, ServiceCall } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import type { Upstream, UpstreamOptions } from '../gateway-options.ts'
import { sha256 } from '../sha256.ts'
import { createRequestBudget, type RequestBudget } from './request-budget.ts'

/** A service that can list the devices of a license. */
export type ListingService = LicenseService & Required<Pick<LicenseService, 'listActivations'>>

/** A service behind the gateway, with checked options. */
export interface OpenedUpstream {
  readonly service: ListingService
  /** Returns how requests about a license are sent. */
  call(about: { licenseKey: string; isActivation: boolean }): Promise<ServiceCall>
  /** Limits the requests; `null` if the service's own limit isn't known. */
  readonly budget: RequestBudget | null
  /** Whether its license keys and IDs are UUIDs, which are compared in lower case. */
  readonly usesUuids: boolean
  /** The mark of this gateway's requests to the service; `null` if they can't come back to a gateway. */
  readonly mark: (() => Promise<string>) | null
}

/** The request header that marks a gateway's own requests, so that it recognizes those that come back to it. */
export const viaHeader = 'latchkey-via'

/** What all services of a gateway share. */
export interface UpstreamSettings {
  readonly call: ServiceCall
  /** Requests a minute to each service; `undefined` for what the service allows. */
  readonly perUpstream: number | false | undefined
  readonly clock: () => number
}

/** @param problems receives one sentence per problem. @returns `null` if there is a problem. */
export function openUpstream(
  upstream: Upstream,
  settings: UpstreamSettings,
  problems: string[],
): OpenedUpstream | null {
  if (!('findLicenseKey' in upstream)) return openCommerce(upstream, problems, settings)
  if (listsActivations(upstream)) {
    const { call } = settings
    return limited({ service: upstream, call: async () => call, usesUuids: false, mark: null }, settings)
  }
  problems.push(
    `upstream must be given your secret of ${upstream.name} (its option apiKey or accessToken): without it the gateway can't list devices.`,
  )
  return null
}

/** Creates the adapter of the commerce service. */
export function openCommerce(
  options: UpstreamOptions,
  problems: string[],
  settings: UpstreamSettings | null = null,
): OpenedUpstream | null {
  const { accessToken, fetch, timeoutMs = 10_000, allowInsecure } = options
  // The adapter's own hint would advise to omit the token, which an app may do and a gateway may not.
  if (accessToken === '') {
    problems.push('upstream is not usable (accessToken is empty: check where you read the token from).')
    return null
  }
  try {
    const service = commerce({ baseUrl: String(options.baseUrl), accessToken, allowInsecure })
    if (!listsActivations(service)) throw new Error('The commerce service lists activations.')
    let marking: Promise<string> | undefined
    const mark = (): Promise<string> => {
      // Not at the start, because Workers allow no cryptography then. The token makes it a secret.
      marking ??= sha256(`${viaHeader}\n${service.baseUrl}\n${accessToken}`).then((hash) => hash.slice(0, 22))
      return marking
    }
    const call = async (): Promise<ServiceCall> => ({
      fetch,
      timeoutMs,
      headers: { [viaHeader]: await mark() },
    })
    return limited({ service, call, usesUuids: true, mark }, settings)
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error
    const wrong = error.problems.map(({ option, problem }) => `${option} ${problem}`)
    problems.push(`upstream is not usable (${wrong.join('; ')}).`)
    return null
  }
}

/** Makes the requests of a service count. */
function limited(
  upstream: Omit<OpenedUpstream, 'budget'>,
  settings: UpstreamSettings | null,
): OpenedUpstream {
  const perMinute = settings?.perUpstream ?? upstream.service.capabilities.requestsPerMinute ?? false
  if (settings === null || perMinute === false) return { ...upstream, budget: null }
  const budget = createRequestBudget(perMinute, settings.clock)
  return {
    ...upstream,
    budget,
    async call(about) {
      const call = await upstream.call(about)
      return { ...call, fetch: budget.counted(call.fetch, about) }
    },
  }
}

function listsActivations(service: LicenseService): service is ListingService {
  return service.capabilities.listsActivations && service.listActivations !== undefined
}
