import { longestOfflineDays } from '@latchkey/services/offline'
import { GatewayConfigError } from './gateway-config-error.ts'
import type { GatewayOptions, Upstream } from './gateway-options.ts'
import { findShapeProblems, gatewayShape } from './options/option-shapes.ts'
import { type CheckedUpstream, checkUpstream } from './upstreams/checked-upstream.ts'

const longestLeaseDays = 366

/** The longest timer of every runtime. A longer one ends at once. */
const longestTimeoutMs = 2_147_483_647

/** The checked {@link GatewayOptions}. */
export interface GatewaySettings {
  /** Contains at least one. */
  readonly upstreams: readonly CheckedUpstream[]
  /** Without a trailing slash; empty for none. */
  readonly basePath: string
  readonly leaseDays: number
  readonly renewalGraceDays: number
}

/** @throws {GatewayConfigError} if an option is invalid. The message names every invalid option. */
export function checkGatewayOptions(options: GatewayOptions): GatewaySettings {
  const { problems: misshapen, unreadable } = findShapeProblems(options, gatewayShape)
  if (misshapen.length === 0) return checkValues(options, [])
  // The other options may be invalid, too, and the error names all of them.
  const isReadable = ([name]: readonly [name: string, value: unknown]): boolean =>
    !unreadable.has(name) && !(name === 'offline' && unreadable.has('signing'))
  const readable = Object.entries(options ?? {}).filter(isReadable)
  const { upstream = [], ...others }: Partial<GatewayOptions> = Object.fromEntries(readable)
  return checkValues({ upstream, ...others }, misshapen)
}

function checkValues(options: GatewayOptions, misshapen: readonly string[]): GatewaySettings {
  const problems = [...misshapen]
  const call = { fetch: options.fetch, timeoutMs: options.timeoutMs ?? 10_000 }
  const given: readonly Upstream[] = isList(options.upstream) ? options.upstream : [options.upstream]
  const upstreams = given.flatMap((upstream) => checkUpstream(upstream, call, problems) ?? [])
  if (given.length === 0 && misshapen.length === 0) problems.push('upstream must name at least one service.')
  if (options.allow !== undefined && upstreams.some(lacksLicense)) {
    problems.push('allow needs a service that shows a license: pass { baseUrl, accessToken } as upstream.')
  }

  if (!(call.timeoutMs >= 1 && call.timeoutMs <= longestTimeoutMs)) {
    problems.push(`timeoutMs must be from 1 to ${longestTimeoutMs} milliseconds.`)
  }
  const basePath = (options.basePath ?? '/v1').replace(/\/$/, '')
  if (!/^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/.test(basePath)) {
    problems.push('The base path must look like /v1 or /licensing/v1, or be / for none.')
  }
  const leaseDays = options.signing?.leaseDays ?? 14
  if (!(leaseDays > 0 && leaseDays <= longestLeaseDays)) {
    problems.push(`The lease must last more than 0 and at most ${longestLeaseDays} days.`)
  }
  const renewalGraceDays = options.signing?.renewalGraceDays ?? 3
  if (!(renewalGraceDays >= 0 && renewalGraceDays <= longestLeaseDays)) {
    problems.push(`The renewal grace must be from 0 to ${longestLeaseDays} days.`)
  }
  if (options.signing?.keys.length === 0) {
    problems.push(
      'signing.keys contains no signing key: leave signing out, or create a key with: latchkey-gateway keys generate',
    )
  }
  const { offline } = options
  if (offline !== undefined) {
    if (!(offline.days >= 1 && offline.days <= longestOfflineDays)) {
      problems.push(`offline.days must be from 1 to ${longestOfflineDays}.`)
    }
    if (options.signing === undefined) {
      problems.push(
        'offline needs signing: apps only accept signed answers. Create a key with: latchkey-gateway keys generate',
      )
    }
  }
  if (problems.length > 0) throw new GatewayConfigError(problems)
  return { upstreams, basePath, leaseDays, renewalGraceDays }
}

function isList(upstream: Upstream | readonly Upstream[]): upstream is readonly Upstream[] {
  return Array.isArray(upstream)
}

/** The commerce adapter can only show a license by validating one of its keys. */
function lacksLicense(upstream: CheckedUpstream): boolean {
  return upstream.kind === 'service' && upstream.service.showLicense === undefined
}
