import { hostname } from 'node:os'
import { join } from 'node:path'
import { app, safeStorage } from 'electron'
import type { DeviceIdSource, DevicePort, LicensingPorts, Logger } from '../../core/ports.ts'
import { loadLater } from '../on-demand.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { createAppService, createCommerceOnDemand } from './app-service.ts'
import { createMachineDevice, linuxMachineIdFiles, reportMachineId } from './device.ts'
import { createFileLock } from './file-lock.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { createLeaseVerifier, createSignedAnswers } from './leases.ts'
import { netFetch } from './net-fetch.ts'
import { createSafeStorageSecrets } from './safe-storage-secrets.ts'
import { createSystemClock } from './time.ts'

/** The core's ports on top of Electron and Node, with extra data for the support report. */
export interface ElectronPorts extends LicensingPorts {
  readonly store: FileStore
  /** Folder of all files that Latchkey writes. */
  readonly directory: () => string
  /** Where this device's ID came from; `null` before it was read. */
  readonly deviceIdSource: () => DeviceIdSource | null
  /** How far this computer's clock was ahead of the service's at its last answer, in milliseconds. */
  readonly clockAheadMs: () => number | null
  /** Chromium's code of why the last request had no answer; `null` if it had one, or none was sent. */
  readonly networkError: () => string | null
  /** Removes the locks that this process holds, because it exits. */
  readonly leaveLocks: () => void
}

/**
 * Creates the ports. Nothing is read or written yet, so the app may still change its folders.
 *
 * @param onSecret called with every license key and ID that is sent and may not be a UUID.
 */
export function createPorts(
  settings: LicensingSettings,
  logger: Logger,
  onSecret: (text: string) => void,
): ElectronPorts {
  const { appId, service, adapter, storeName, leaseKeys, offlineUrl } = settings
  const directory = (): string => settings.directory ?? join(app.getPath('userData'), 'latchkey')
  let deviceIdSource: DeviceIdSource | null = null
  let clockAheadMs: number | null = null
  let networkError: string | null = null

  const machine = createMachineDevice({
    appId,
    ...settings.device,
    hostname: hostname(),
    platform: process.platform,
    machineIdFiles: linuxMachineIdFiles,
    reportMachineId,
  })
  const device: DevicePort = {
    async identify(knownRandomId) {
      const identity = await machine.identify(knownRandomId)
      deviceIdSource = identity.source
      return identity
    },
  }

  const verifier = leaseKeys && createLeaseVerifier(leaseKeys)
  // An answer holds at least until the next check is due.
  const lastsMs = Math.max(settings.graceMs, settings.recheckMs * 1.5)

  const lock = createFileLock({ directory, name: storeName, logger })
  return {
    ...(offlineUrl !== undefined &&
      verifier && {
        async offline() {
          const { createOfflinePort } = await loadLater()
          return createOfflinePort({ appId, url: offlineUrl, verifier })
        },
      }),
    leases: verifier ?? (adapter && createSignedAnswers(adapter, lastsMs)),
    service: createAppService(adapter ?? createCommerceOnDemand(settings, verifier, logger), {
      fetch: netFetch,
      logger,
      isPackaged: app.isPackaged,
      timeoutMs: adapter === undefined ? service.timeoutMs : undefined,
      onServerDate(serverDateMs) {
        clockAheadMs = Date.now() - serverDateMs
      },
      onNetworkError(code) {
        networkError = code
      },
      onSecret,
    }),
    store: createFileStore({ directory, name: storeName }),
    lock,
    device,
    clock: createSystemClock(),
    secrets: createSafeStorageSecrets({ safeStorage, platform: process.platform, appId }),
    logger,
    directory,
    deviceIdSource: () => deviceIdSource,
    clockAheadMs: () => clockAheadMs,
    networkError: () => networkError,
    leaveLocks: lock.leave,
  }
}
