import { release } from 'node:os'
import { packageVersion } from 'virtual:latchkey/package'
import { app, net, session } from 'electron'
import type { ElectronPorts } from '../adapters/create-ports.ts'
import { withinTime } from '../adapters/time.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'

/** Time limit for each of the system's answers, in milliseconds, since the user waits for the report. */
const patienceMs = 3_000

/** Returns the support report's lines about the environment. Unavailable facts are "not known". Never rejects. */
export async function reportEnvironment(
  { appId, service, leaseKeys = [], offlineUrl }: LicensingSettings,
  ports: ElectronPorts,
): Promise<readonly string[]> {
  const { electron = 'unknown', chrome = 'unknown', node } = process.versions
  // A proxy script that can't be loaded may never answer.
  const [proxy, keychain, { source }] = await Promise.all([
    withinTime(session.defaultSession.resolveProxy(service.baseUrl), patienceMs).then(
      describeProxy,
      () => 'not known',
    ),
    ports.secrets.describe(),
    ports.device.identify(null),
  ])
  const hasSecret = service.vendorSecrets.length > 0
  const { networkError, clockAheadMs } = ports.connection
  return [
    `Latchkey ${packageVersion}, license report`,
    `app: ${app.getName()} ${app.getVersion()} (${appId}), ${app.isPackaged ? 'packaged' : 'not packaged'}`,
    `runtime: Electron ${electron}, Chrome ${chrome}, Node ${node}`,
    `system: ${process.platform} ${release()} ${process.arch}, locale ${app.getLocale()}`,
    `service: ${service.baseUrl || 'no address'}, access token in the app: ${yesOrNo(hasSecret)}, lease keys: ${leaseKeys.length}, activation without internet: ${yesOrNo(offlineUrl !== undefined)}`,
    `network: ${net.isOnline() ? 'online' : 'offline'}, proxy: ${proxy}${networkError === null ? '' : `, last request: no answer, ${networkError}`}`,
    `clock against the service: ${describeSkew(clockAheadMs)}`,
    `keychain: ${keychain}`,
    `device ID: ${source}`,
  ]
}

function yesOrNo(isSo: boolean): string {
  return isSo ? 'yes' : 'no'
}

function describeSkew(clockAheadMs: number | null): string {
  if (clockAheadMs === null) return 'not known, no answer yet'
  const seconds = Math.round(clockAheadMs / 1000)
  return seconds < 0 ? `${-seconds} s behind` : `${seconds} s ahead`
}

/**
 * Describes a result of `resolveProxy`, such as `PROXY proxy.example:8080; DIRECT`, by the kind of its first proxy. Its
 * address may be secret.
 */
function describeProxy(resolved: string): string {
  const kind = resolved.trim().split(/[\s;]/u)[0]?.toUpperCase() || 'DIRECT'
  return kind === 'DIRECT' ? 'none' : `in use (${kind})`
}
