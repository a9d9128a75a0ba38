import {
  type CommerceClient,
  commerceErrorMessages,
  createCommerceClient,
  isCommerceError,
} from '@latchkey/commerce'
import { GatewayConfigError } from './gateway-config-error.ts'
import type { GatewayOptions, UpstreamOptions } from './gateway-options.ts'

const longestLeaseDays = 366

/** What {@link GatewayOptions} come to once checked. */
export interface GatewaySettings {
  readonly commerce: CommerceClient
  /** Without a slash at its end; empty for none. */
  readonly basePath: string
  readonly leaseDays: number
  readonly renewalGraceDays: number
}

/** @throws {GatewayConfigError} naming every option that is wrong. */
export function checkGatewayOptions(options: GatewayOptions): GatewaySettings {
  const problems: string[] = []
  const commerce = commerceClient(options.upstream, problems)

  const basePath = (options.basePath ?? '/v1').replace(/\/$/, '')
  if (!/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/.test(basePath)) {
    problems.push('The base path has to look like /v1 or /licensing/v1, or be / for none.')
  }
  const leaseDays = options.signing?.leaseDays ?? 14
  if (!(leaseDays > 0 && leaseDays <= longestLeaseDays)) {
    problems.push(`The lease has to last more than 0 and at most ${longestLeaseDays} days.`)
  }
  const renewalGraceDays = options.signing?.renewalGraceDays ?? 3
  if (!(renewalGraceDays >= 0 && renewalGraceDays <= longestLeaseDays)) {
    problems.push(`The renewal grace has to be from 0 to ${longestLeaseDays} days.`)
  }
  if (options.signing?.keys.length === 0) {
    problems.push(
      'There is no signing key in signing.keys: leave signing out, or make one with: latchkey-gateway keys generate',
    )
  }
  if (commerce === null || problems.length > 0) throw new GatewayConfigError(problems)
  return { commerce, basePath, leaseDays, renewalGraceDays }
}

function commerceClient(upstream: UpstreamOptions, problems: string[]): CommerceClient | null {
  try {
    if (upstream.accessToken === '')
      throw new GatewayConfigError(['The access token of the service is empty.'])
    return createCommerceClient({
      baseUrl: upstream.baseUrl,
      accessToken: upstream.accessToken,
      fetch: upstream.fetch,
      timeout: upstream.timeoutMs ?? 10_000,
      allowInsecure: upstream.allowInsecure,
    })
  } catch (error) {
    if (!isCommerceError(error) && !(error instanceof GatewayConfigError)) throw error
    // The client speaks of a request; here it is the configuration.
    const { message } = error
    problems.push(message.replace(commerceErrorMessages['invalid-argument'], 'upstream is not usable'))
    return null
  }
}
