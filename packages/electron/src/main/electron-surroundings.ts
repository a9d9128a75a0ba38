import { release } from 'node:os'
import { packageVersion } from 'virtual:latchkey/embedded-texts'
import { app, net, safeStorage, session } from 'electron'
import { type DiagnosisFacts, proxyKind } from './diagnosis.ts'
import type { ElectronPorts } from './electron-ports.ts'
import type { LicensingSettings } from './parse-licensing-options.ts'

/** Looks at the surroundings for the support report. What cannot be found out is "not known", and never throws. */
export async function readSurroundings(
  settings: LicensingSettings,
  ports: ElectronPorts,
): Promise<DiagnosisFacts> {
  const { baseUrl, accessToken } = settings.service
  const { electron = 'unknown', chrome = 'unknown', node } = process.versions
  const resolved = await session.defaultSession.resolveProxy(baseUrl).catch(() => null)
  return {
    latchkeyVersion: packageVersion,
    app: { id: settings.appId, name: app.getName(), version: app.getVersion(), isPackaged: app.isPackaged },
    versions: { electron, chrome, node },
    system: { platform: process.platform, version: release(), arch: process.arch },
    locale: app.getLocale(),
    service: { address: baseUrl, hasAccessToken: accessToken !== undefined },
    proxy: resolved === null ? null : proxyKind(resolved),
    isOnline: net.isOnline(),
    clockAheadMs: ports.clockAheadMs(),
    keychain: await describeKeychain(),
    deviceIdSource: ports.deviceIdSource(),
  }
}

async function describeKeychain(): Promise<string> {
  const { getSelectedStorageBackend, isAsyncEncryptionAvailable } = safeStorage
  try {
    // Each of these is missing from some version of Electron, whatever the types of the newest say.
    const isAvailable =
      typeof isAsyncEncryptionAvailable === 'function'
        ? await isAsyncEncryptionAvailable.call(safeStorage)
        : safeStorage.isEncryptionAvailable()
    const isNamed = process.platform === 'linux' && typeof getSelectedStorageBackend === 'function'
    const backend = isNamed ? `, ${getSelectedStorageBackend.call(safeStorage)}` : ''
    return `${isAvailable ? 'available' : 'not available'}${backend}`
  } catch {
    return 'not known'
  }
}
