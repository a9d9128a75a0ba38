import { release } from 'node:os'
import { app, net, safeStorage, session } from 'electron'
import type { ElectronPorts } from '../adapters/create-ports.ts'
import { withinTime } from '../adapters/time.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'

/** Returns the support report's lines about the environment. Never rejects. */
export async function reportEnvironment(
  settings: LicensingSettings,
  ports: ElectronPorts,
  latchkeyVersion: string,
): Promise<readonly string[]> {
  return describeEnvironment(await readEnvironment(settings, ports, latchkeyVersion))
}

/** Facts about the environment; `null` means "not known". */
export interface DiagnosisFacts {
  readonly latchkeyVersion: string
  readonly app: {
    readonly id: string
    readonly name: string
    readonly version: string
    readonly isPackaged: boolean
  }
  readonly versions: { readonly electron: string; readonly chrome: string; readonly node: string }
  readonly system: { readonly platform: string; readonly version: string; readonly arch: string }
  readonly locale: string
  readonly service: {
    readonly address: string
    readonly hasAccessToken: boolean
    /** How many keys verify leases. Without one, the app requires no lease. */
    readonly leaseKeyCount: number
    readonly hasOfflineActivation: boolean
  }
  /** Kind of proxy used to reach the service, such as `PROXY` or `SOCKS5`; `DIRECT` for none. */
  readonly proxy: string | null
  readonly isOnline: boolean
  /** Chromium's code of why the last request had no answer; `null` if it had one. */
  readonly networkError: string | null
  /** How far this computer's clock is ahead of the service's, in milliseconds, according to the last answer. */
  readonly clockAheadMs: number | null
  readonly keychain: string
  readonly deviceIdSource: string | null
}

/** Returns the report's lines about the environment. */
export function describeEnvironment(facts: DiagnosisFacts): readonly string[] {
  const { app, versions, system, service, proxy, networkError, clockAheadMs } = facts
  return [
    `Latchkey ${facts.latchkeyVersion}, license report`,
    `app: ${app.name} ${app.version} (${app.id}), ${app.isPackaged ? 'packaged' : 'not packaged'}`,
    `runtime: Electron ${versions.electron}, Chrome ${versions.chrome}, Node ${versions.node}`,
    `system: ${system.platform} ${system.version} ${system.arch}, locale ${facts.locale}`,
    `service: ${service.address}, access token in the app: ${service.hasAccessToken ? 'yes' : 'no'}, lease keys: ${service.leaseKeyCount}, activation without internet: ${service.hasOfflineActivation ? 'yes' : 'no'}`,
    `network: ${facts.isOnline ? 'online' : 'offline'}, proxy: ${proxy === null ? 'not known' : proxy === 'DIRECT' ? 'none' : `in use (${proxy})`}${networkError === null ? '' : `, last request: no answer, ${networkError}`}`,
    `clock against the service: ${clockAheadMs === null ? 'not known, no answer yet' : describeSkew(clockAheadMs)}`,
    `keychain: ${facts.keychain}`,
    `device ID: ${facts.deviceIdSource ?? 'not looked for yet'}`,
  ]
}

function describeSkew(clockAheadMs: number): string {
  const seconds = Math.round(clockAheadMs / 1000)
  return seconds < 0 ? `${-seconds} s behind` : `${seconds} s ahead`
}

/** Returns the kind of the first proxy in a result of `resolveProxy`, such as `PROXY proxy.example:8080; DIRECT`. */
export function proxyKind(resolved: string): string {
  return resolved.trim().split(/[\s;]/u)[0]?.toUpperCase() || 'DIRECT'
}

/** Time limit for each of the system's answers, in milliseconds, since the user waits for the report. */
const patienceMs = 3_000

/** Reads the environment for the support report. Unavailable facts are "not known". Never rejects. */
async function readEnvironment(
  settings: LicensingSettings,
  ports: ElectronPorts,
  latchkeyVersion: string,
): Promise<DiagnosisFacts> {
  const { baseUrl, accessToken } = settings.service
  const { electron = 'unknown', chrome = 'unknown', node } = process.versions
  // A proxy script that can't be loaded, or a keychain that asks the user, may never answer.
  const proxy = withinTime(session.defaultSession.resolveProxy(baseUrl), patienceMs).catch(() => null)
  const keychain = describeKeychain()
  const resolved = await proxy
  return {
    latchkeyVersion,
    app: { id: settings.appId, name: app.getName(), version: app.getVersion(), isPackaged: app.isPackaged },
    versions: { electron, chrome, node },
    system: { platform: process.platform, version: release(), arch: process.arch },
    locale: app.getLocale(),
    service: {
      address: baseUrl,
      hasAccessToken: accessToken !== undefined || hasSecrets(settings.adapter),
      leaseKeyCount: settings.leaseKeys?.length ?? 0,
      hasOfflineActivation: settings.offlineUrl !== undefined,
    },
    proxy: resolved === null ? null : proxyKind(resolved),
    isOnline: net.isOnline(),
    networkError: ports.networkError(),
    clockAheadMs: ports.clockAheadMs(),
    keychain: await keychain,
    deviceIdSource: ports.deviceIdSource(),
  }
}

function hasSecrets(adapter: LicensingSettings['adapter']): boolean {
  return adapter !== undefined && adapter.vendorSecrets.length > 0
}

async function describeKeychain(): Promise<string> {
  const { getSelectedStorageBackend, isAsyncEncryptionAvailable } = safeStorage
  try {
    // Each of these is missing in some Electron version, regardless of the types.
    const isAvailable =
      typeof isAsyncEncryptionAvailable === 'function'
        ? await withinTime(isAsyncEncryptionAvailable.call(safeStorage), patienceMs)
        : safeStorage.isEncryptionAvailable()
    const isNamed = process.platform === 'linux' && typeof getSelectedStorageBackend === 'function'
    const backend = isNamed ? `, ${getSelectedStorageBackend.call(safeStorage)}` : ''
    return `${isAvailable ? 'available' : 'not available'}${backend}`
  } catch {
    return 'not known'
  }
}
