import { hostname } from 'node:os'
import { join } from 'node:path'
import { app, safeStorage } from 'electron'
import type { LicensingPorts, Logger } from '../../core/ports.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { type ConnectionFacts, createAppService, createConnectionFacts } from './app-service.ts'
import { createMachineDevice, linuxMachineIdFiles, reportMachineId } from './device.ts'
import { createFileLock } from './file-lock.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { createLeaseVerifier, createSignedAnswers, signedGateway } from './leases.ts'
import { netFetch } from './net-fetch.ts'
import { createSafeStorageSecrets, type SafeStorageSecrets } from './safe-storage-secrets.ts'
import { createSystemClock } from './time.ts'

/** The core's ports on top of Electron and Node, with extra data for the support report. */
export interface ElectronPorts extends LicensingPorts {
  readonly store: FileStore
  readonly secrets: SafeStorageSecrets
  /** Folder of all files that Latchkey writes. */
  readonly directory: () => string
  readonly connection: Readonly<ConnectionFacts>
  /** Loads what a first activation needs. Never rejects. */
  readonly prepareForActivation: () => Promise<void>
  /** Removes the locks that this process holds, because it exits. */
  readonly leaveLocks: () => void
}

/** Loads everything that a launch doesn't need. Rejects if an update has replaced the app's files meanwhile. */
export function loadLater(): Promise<typeof import('../later.ts')> {
  return import('../later.ts')
}

/**
 * Creates the ports. Nothing is read or written yet, so the app may still change its folders.
 *
 * @param sentKeys gets every license key and ID before it is sent.
 */
export function createPorts(
  settings: LicensingSettings,
  logger: Logger,
  sentKeys: Set<string>,
): ElectronPorts {
  const { appId, service, storeName, leaseKeys, offlineUrl } = settings
  const directory = (): string => settings.directory ?? join(app.getPath('userData'), 'latchkey')
  const connection = createConnectionFacts()
  const verifier = leaseKeys && createLeaseVerifier(leaseKeys)
  // An answer holds at least until the next check is due.
  const lastsMs = Math.max(settings.graceMs, settings.recheckMs * 1.5)

  const store = createFileStore({ directory, name: storeName })
  const lock = createFileLock({ directory, name: storeName, logger })
  return {
    ...(offlineUrl !== undefined &&
      verifier && {
        async offline() {
          const { createOfflinePort } = await loadLater()
          return createOfflinePort({ appId, url: offlineUrl, verifier })
        },
      }),
    leases: verifier ?? createSignedAnswers(service, lastsMs),
    service: createAppService(verifier ? signedGateway(service, verifier, logger) : service, {
      fetch: netFetch,
      logger,
      isPackaged: app.isPackaged,
      isAdapter: settings.isAdapter,
      timeoutMs: settings.timeoutMs,
      lastList: store.lastList,
      connection,
      sentKeys,
    }),
    store,
    lock,
    device: createMachineDevice({
      appId,
      ...settings.device,
      hostname: hostname(),
      platform: process.platform,
      machineIdFiles: linuxMachineIdFiles,
      reportMachineId,
    }),
    clock: createSystemClock(),
    secrets: createSafeStorageSecrets({
      safeStorage: settings.keychain ? () => safeStorage : null,
      platform: process.platform,
      appId,
      electronVersion: process.versions.electron ?? '',
    }),
    logger,
    directory,
    connection,
    async prepareForActivation() {
      await Promise.allSettled([store.prepare(), loadLater()])
      // Node loads its fetch with the first request that is created.
      if (service.baseUrl !== '') new Request(service.baseUrl)
    },
    leaveLocks: lock.leave,
  }
}
