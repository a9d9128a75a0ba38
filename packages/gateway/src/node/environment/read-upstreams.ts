import { isServiceName, nearestName, readService, serviceNames } from '@latchkey/services/environment'
import type { Upstream } from '../../gateway-options.ts'
import { openCommerce } from '../../upstreams/checked-upstream.ts'
import { isOwnAddress } from './own-address.ts'

/** The setting that names the services, the settings of the commerce service, and where the gateway listens. */
interface UpstreamSettings {
  readonly HOST: string
  readonly PORT: number
  readonly LATCHKEY_SERVICE: string
  readonly LATCHKEY_UPSTREAM: string
  readonly LATCHKEY_ACCESS_TOKEN: string
  readonly LATCHKEY_UPSTREAM_TIMEOUT_MS: number
  readonly LATCHKEY_ALLOW_INSECURE: boolean
}

const names: readonly string[] = ['commerce', ...serviceNames]

/** Returns the names in `LATCHKEY_SERVICE`. */
export function chosenServices(setting: string): readonly string[] {
  return setting.split(',').map((name) => name.trim())
}

/**
 * Creates the services behind the gateway from the environment.
 *
 * @param problems receives one sentence per variable that is missing or invalid. It never contains a value.
 */
export function readUpstreams(
  settings: UpstreamSettings,
  variables: Readonly<Record<string, string | undefined>>,
  problems: string[],
): readonly Upstream[] {
  const chosen = chosenServices(settings.LATCHKEY_SERVICE)
  if (new Set(chosen).size < chosen.length) problems.push('LATCHKEY_SERVICE names a service twice.')
  return chosen.flatMap((name) => {
    if (name === 'commerce') return readCommerce(settings, problems)
    if (isServiceName(name)) return readService(name, variables, problems) ?? []
    const nearest = nearestName(name.toLowerCase(), names)
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    problems.push(`LATCHKEY_SERVICE must be one of ${names.join(', ')}, or several with commas.${hint}`)
    return []
  })
}

function readCommerce(settings: UpstreamSettings, problems: string[]): readonly Upstream[] {
  const { LATCHKEY_UPSTREAM: baseUrl, LATCHKEY_ACCESS_TOKEN: accessToken } = settings
  if (baseUrl === '') problems.push('LATCHKEY_UPSTREAM is missing.')
  if (accessToken === '') problems.push('LATCHKEY_ACCESS_TOKEN is missing.')
  if (baseUrl === '' || accessToken === '') return []
  const timeoutMs = settings.LATCHKEY_UPSTREAM_TIMEOUT_MS
  const upstream = { baseUrl, accessToken, timeoutMs, allowInsecure: settings.LATCHKEY_ALLOW_INSECURE }
  const opened = openCommerce(upstream)
  if (!('licenses' in opened)) {
    problems.push(`${namingVariables(opened.problem)}.`)
    return []
  }
  if (isOwnAddress(baseUrl, settings.HOST, settings.PORT)) problems.push(ownAddressProblem)
  return [upstream]
}

const ownAddressProblem =
  "LATCHKEY_UPSTREAM is the gateway's own address, so the gateway would send every request to itself. Set it to the commerce service's address, or set PORT to another port."

/** Replaces option names in a message with the names of their variables. */
function namingVariables(problem: string): string {
  return problem
    .replace(/^with /u, 'With ')
    .replaceAll('baseUrl', 'LATCHKEY_UPSTREAM')
    .replaceAll('accessToken', 'LATCHKEY_ACCESS_TOKEN')
    .replaceAll('allowInsecure', 'LATCHKEY_ALLOW_INSECURE=1')
}
