import { hostname } from 'node:os'
import { join } from 'node:path'
import { app, safeStorage } from 'electron'
import type { LicensingPorts } from '../../core/licensing-core.ts'
import type { DeviceIdSource, DevicePort } from '../../core/ports/device-port.ts'
import type { Logger } from '../../core/ports/logger-port.ts'
import type { OfflinePort } from '../../core/ports/offline-port.ts'
import type { ServicePort } from '../../core/ports/service-port.ts'
import type { DescribeChange } from '../../core/state/describe-change.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import type { LeaseVerifier } from './commerce/lease-verifier.ts'
import { createLeasesOnDemand } from './commerce/leases-on-demand.ts'
import { createMachineDevice } from './device/machine-device.ts'
import { linuxMachineIdFiles } from './device/machine-id.ts'
import { createFileLock } from './file-lock.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { createSafeStorageSecrets } from './safe-storage-secrets.ts'
import { createServiceOnDemand } from './service/service-on-demand.ts'
import { createSignedAnswersOnDemand } from './service/signed-answers-on-demand.ts'
import { createSystemClock } from './system-clock.ts'

/** The core's ports on top of Electron and Node, with extra data for the support report. */
export interface ElectronPorts extends LicensingPorts {
  readonly store: FileStore
  /** Loads what the decision at launch needs in this app. Call it before the decision. */
  readonly load: () => Promise<void>
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
  const { appId, service, adapter, keyFinder, storeName, leaseKeys, offlineUrl } = settings
  const leases = leaseKeys === undefined ? undefined : createLeasesOnDemand(leaseKeys)
  // An answer holds at least until the next check is due.
  const lastsMs = Math.max(settings.graceMs, settings.recheckMs * 1.5)
  const signedAnswers = adapter && createSignedAnswersOnDemand(adapter, lastsMs)
  const directory = (): string => settings.directory ?? join(app.getPath('userData'), 'latchkey')
  let deviceIdSource: DeviceIdSource | null = null
  let clockAheadMs: number | null = null
  let networkError: string | null = null
  let describeChange: DescribeChange | null = null

  const machine = createMachineDevice({
    appId,
    ...settings.device,
    hostname: hostname(),
    platform: process.platform,
    machineIdFiles: linuxMachineIdFiles,
    // Only Windows and macOS need the command.
    async reportMachineId() {
      const { reportMachineId } = await import('./device/report-machine-id.ts')
      return reportMachineId()
    },
  })
  const device: DevicePort = {
    async identify(knownRandomId) {
      const identity = await machine.identify(knownRandomId)
      deviceIdSource = identity.source
      return identity
    },
  }

  const onServerDate = (serverDateMs: number): void => {
    clockAheadMs = Date.now() - serverDateMs
  }
  const onNetworkError = (code: string | null): void => {
    networkError = code
  }

  function createService(): ServicePort {
    if (adapter === undefined) {
      const load = async (): Promise<ServicePort> => {
        const { openCommerce } = await import('./commerce/open-commerce.ts')
        return openCommerce({
          service,
          leases: await leases?.load(),
          logger,
          onServerDate,
          onNetworkError,
          onSecret,
        })
      }
      const findLicenseKey = keyFinder && ((text: string) => keyFinder.findLicenseKey(text))
      return createServiceOnDemand({
        ids: service.licenseKeys,
        ...(findLicenseKey && { findLicenseKey }),
        showsActivations: true,
        load,
      })
    }
    return createServiceOnDemand({
      name: adapter.name,
      capabilities: adapter.capabilities,
      findLicenseKey: (text) => adapter.findLicenseKey(text),
      showsActivations: false,
      async load() {
        const { openAdapter } = await import('./service/open-adapter.ts')
        return openAdapter({
          service: adapter,
          logger,
          signedAnswers,
          isPackaged: app.isPackaged,
          onServerDate,
          onNetworkError,
          onSecret,
        })
      },
    })
  }

  async function loadOffline(url: string, verifier: Promise<LeaseVerifier>): Promise<OfflinePort> {
    const { createOfflinePort } = await import('./commerce/offline-port.ts')
    return createOfflinePort({ appId, url, verifier: await verifier })
  }

  /** Without a logger of the app, changes are logged nowhere. */
  async function loadLogLines(): Promise<void> {
    if (settings.logger === undefined) return
    const loaded = await import('../../core/state/describe-change.ts').catch(() => null)
    describeChange = loaded?.describeChange ?? null
  }

  const lock = createFileLock({ directory, name: storeName, logger })
  const recordLock = createFileLock({ directory, name: `${storeName}.record`, logger, ...recordLockTimes })
  return {
    ...(offlineUrl !== undefined && leases && { offline: () => loadOffline(offlineUrl, leases.load()) }),
    leases: leases ?? signedAnswers,
    commerce: createService(),
    store: createFileStore({ directory, name: storeName }),
    lock,
    recordLock,
    device,
    clock: createSystemClock(),
    secrets: createSafeStorageSecrets({ safeStorage, platform: process.platform, appId }),
    logger,
    describeChange: (before, after) => describeChange?.(before, after) ?? [],
    directory,
    async load() {
      await Promise.all([leases?.load(), keyFinder?.load?.(), loadLogLines()])
    },
    deviceIdSource: () => deviceIdSource,
    clockAheadMs: () => clockAheadMs,
    networkError: () => networkError,
    leaveLocks() {
      lock.leave()
      recordLock.leave()
    },
  }
}

/** A transaction takes a few seconds at most, if the keychain is slow and another program holds the file. */
const recordLockTimes = { longestWaitMs: 10_000, staleMs: 5_000 }
