import { release } from 'node:os'
import { packageVersion } from 'virtual:latchkey/embedded-texts'
import { app, net, safeStorage, session } from 'electron'
import type { ElectronPorts } from '../adapters/create-ports.ts'
import { withinTime } from '../adapters/within-time.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { type DiagnosisFacts, proxyKind } from './describe-environment.ts'

/** How long the system may take for one of its answers: somebody waits for the report. */
const patienceMs = 3_000

/** Looks at the surroundings for the support report. What cannot be found out is "not known", and never throws. */
export async function readEnvironment(
  settings: LicensingSettings,
  ports: ElectronPorts,
): Promise<DiagnosisFacts> {
  const { baseUrl, accessToken } = settings.service
  const { electron = 'unknown', chrome = 'unknown', node } = process.versions
  // A proxy's script that cannot be loaded, or a keychain that asks the user, may not answer at all.
  const proxy = withinTime(session.defaultSession.resolveProxy(baseUrl), patienceMs).catch(() => null)
  const keychain = describeKeychain()
  const resolved = await proxy
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
    keychain: await keychain,
    deviceIdSource: ports.deviceIdSource(),
  }
}

async function describeKeychain(): Promise<string> {
  const { getSelectedStorageBackend, isAsyncEncryptionAvailable } = safeStorage
  try {
    // Each of these is missing from some version of Electron, whatever the types of the newest say.
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
