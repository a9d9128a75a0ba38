import {
  commerceErrorMessages,
  createCommerceClient,
  isCommerceError,
  type Licenses,
} from '@latchkey/commerce'
import type { LicenseService, ServiceCall } from '@latchkey/services'
import { GatewayConfigError } from '../gateway-config-error.ts'
import type { Upstream, UpstreamOptions } from '../gateway-options.ts'

/** A service behind the gateway, with checked options. */
export type CheckedUpstream =
  | { readonly kind: 'commerce'; readonly licenses: Licenses }
  | { readonly kind: 'service'; readonly service: LicenseService; readonly call: ServiceCall }

/** @param problems receives one sentence per problem. @returns `null` if there is a problem. */
export function checkUpstream(
  upstream: Upstream,
  call: ServiceCall,
  problems: string[],
): CheckedUpstream | null {
  if (!('findLicenseKey' in upstream)) return checkCommerce(upstream, problems)
  if (upstream.capabilities.listsActivations) return { kind: 'service', service: upstream, call }
  problems.push(
    `upstream must be given your secret of ${upstream.name} (its option apiKey or accessToken): without it the gateway can't list devices.`,
  )
  return null
}

function checkCommerce(upstream: UpstreamOptions, problems: string[]): CheckedUpstream | null {
  try {
    if (upstream.accessToken === '')
      throw new GatewayConfigError(['The access token of the service is empty.'])
    const { licenses } = createCommerceClient({
      baseUrl: upstream.baseUrl,
      accessToken: upstream.accessToken,
      fetch: upstream.fetch,
      exchange: upstream.exchange,
      timeout: upstream.timeoutMs ?? 10_000,
      allowInsecure: upstream.allowInsecure,
    })
    return { kind: 'commerce', licenses }
  } catch (error) {
    if (!isCommerceError(error) && !(error instanceof GatewayConfigError)) throw error
    // The client's message describes a request, but the error is in the configuration.
    const { message } = error
    problems.push(message.replace(commerceErrorMessages['invalid-argument'], 'upstream is not usable'))
    return null
  }
}
