import { createCommerceClient, isCommerceError, type Licenses } from '@latchkey/commerce'
import type { LicenseService, ServiceCall } from '@latchkey/services'
import type { Upstream, UpstreamOptions } from '../gateway-options.ts'

/** A service behind the gateway, with checked options. */
export type CheckedUpstream =
  | {
      readonly kind: 'commerce'
      readonly licenses: Licenses
      /** The address and the token, the same in every instance with these settings. It is a secret. */
      readonly identity: string
    }
  | { readonly kind: 'service'; readonly service: LicenseService; readonly call: ServiceCall }

/** @param problems receives one sentence per problem. @returns `null` if there is a problem. */
export function checkUpstream(
  upstream: Upstream,
  call: ServiceCall,
  problems: string[],
): CheckedUpstream | null {
  if (!('findLicenseKey' in upstream)) {
    const opened = openCommerce(upstream)
    const identity = `${upstream.baseUrl}\n${upstream.accessToken}`
    if ('licenses' in opened) return { kind: 'commerce', licenses: opened.licenses, identity }
    problems.push(`upstream is not usable (${opened.problem}).`)
    return null
  }
  if (upstream.capabilities.listsActivations) return { kind: 'service', service: upstream, call }
  problems.push(
    `upstream must be given your secret of ${upstream.name} (its option apiKey or accessToken): without it the gateway can't list devices.`,
  )
  return null
}

/** Creates the client of the commerce service. @returns the problem, which names an option, if it can't be created. */
export function openCommerce(
  upstream: UpstreamOptions,
): { readonly licenses: Licenses } | { readonly problem: string } {
  // The client's own hint would advise to omit the token, which an app may do and a gateway may not.
  if (upstream.accessToken === '')
    return { problem: 'accessToken is empty: check where you read the token from' }
  try {
    return createCommerceClient({
      baseUrl: upstream.baseUrl,
      accessToken: upstream.accessToken,
      fetch: upstream.fetch,
      exchange: upstream.exchange,
      timeout: upstream.timeoutMs ?? 10_000,
      allowInsecure: upstream.allowInsecure,
    })
  } catch (error) {
    if (!isCommerceError(error)) throw error
    return { problem: error.hint ?? error.message }
  }
}
