import { release } from 'node:os'
import { packageVersion } from 'virtual:latchkey/package'
import { app, net, safeStorage, session } from 'electron'
import type { ElectronPorts } from '../adapters/create-ports.ts'
import { withinTime } from '../adapters/within-time.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { type DiagnosisFacts, proxyKind } from './describe-environment.ts'

/** Time limit for each of the system's answers, in milliseconds, since the user waits for the report. */
const patienceMs = 3_000

/** Reads the environment for the support report. Unavailable facts are "not known". Never rejects. */
export async function readEnvironment(
  settings: LicensingSettings,
  ports: ElectronPorts,
): Promise<DiagnosisFacts> {
  const { baseUrl, accessToken } = settings.service
  const { electron = 'unknown', chrome = 'unknown', node } = process.versions
  // A proxy script that can't be loaded, or a keychain that asks the user, may never answer.
  const proxy = withinTime(session.defaultSession.resolveProxy(baseUrl), patienceMs).catch(() => null)
  const keychain = describeKeychain()
  const resolved = await proxy
  return {
    latchkeyVersion: packageVersion,
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
