import { hostname } from 'node:os'
import path from 'node:path'
import { isCommerceError } from '@latchkey/commerce'
import { app, safeStorage } from 'electron'
import type { LicensingPorts } from '../../core/licensing-core.ts'
import type { DeviceIdSource, DevicePort } from '../../core/ports/device-port.ts'
import type { Logger } from '../../core/ports/logger-port.ts'
import { LicensingOptionsError } from '../options/licensing-options-error.ts'
import type { LicensingSettings } from '../options/parse-licensing-options.ts'
import { createLeaseTrustLog } from './commerce/lease-trust-log.ts'
import { createLeaseVerifier } from './commerce/lease-verifier.ts'
import { createNetFetchCommerce } from './commerce/net-fetch-commerce.ts'
import { netRequestFetch } from './commerce/net-request-fetch.ts'
import { createMachineDevice } from './device/machine-device.ts'
import { linuxMachineIdFiles } from './device/machine-id.ts'
import { reportMachineId } from './device/report-machine-id.ts'
import { createFileLock } from './file-lock.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { logRequests } from './log-requests.ts'
import { createSafeStorageSecrets } from './safe-storage-secrets.ts'
import { createServicePort } from './service/create-service-port.ts'
import { createSystemClock } from './system-clock.ts'

/** The core's ports on top of Electron and Node, with extra data for the support report. */
export interface ElectronPorts extends LicensingPorts {
  readonly store: FileStore
  /** Folder of all files that Latchkey writes. */
  readonly directory: () => string
  /** Where this device's ID came from; `null` before it was read. */
  readonly deviceIdSource: () => DeviceIdSource | null
  /** How far this computer's clock was ahead of the service's at its last answer, in milliseconds. */
  readonly clockAheadMs: () => number | null
}

/**
 * Creates the ports. Nothing is read or written yet, so the app may still change its folders.
 *
 * @param onSecret called with every license key and ID that an adapter sends.
 * @throws {LicensingOptionsError} if an address or token is unusable.
 */
export function createPorts(
  settings: LicensingSettings,
  logger: Logger,
  onSecret: (text: string) => void,
): ElectronPorts {
  const { appId, service, adapter, storeName, leaseKeys } = settings
  const leases = leaseKeys === undefined ? undefined : createLeaseVerifier(leaseKeys)
  const directory = (): string => settings.directory ?? path.join(app.getPath('userData'), 'latchkey')
  let deviceIdSource: DeviceIdSource | null = null
  let clockAheadMs: number | null = null

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

  const fetch = logRequests(netRequestFetch, logger)
  const onServerDate = (serverDateMs: number): void => {
    clockAheadMs = Date.now() - serverDateMs
  }

  return {
    leases,
    commerce:
      adapter === undefined
        ? usable(() =>
            createNetFetchCommerce({
              ...service,
              leases,
              onUntrusted: leases && createLeaseTrustLog(logger, leases.keyIds),
              fetch,
              onServerDate,
            }),
          )
        : createServicePort({
            service: adapter,
            fetch,
            onServerDate,
            onSecret,
            onMisconfigured: (detail) =>
              logger.error(`${adapter.name} can't do what this app needs, as it is set up: ${detail}`),
          }),
    store: createFileStore({ directory, name: storeName }),
    lock: createFileLock({ directory, name: storeName, logger }),
    recordLock: createFileLock({ directory, name: `${storeName}.record`, logger, ...recordLockTimes }),
    device,
    clock: createSystemClock(),
    secrets: createSafeStorageSecrets({ safeStorage, platform: process.platform, appId }),
    logger,
    directory,
    deviceIdSource: () => deviceIdSource,
    clockAheadMs: () => clockAheadMs,
  }
}

/** A transaction takes a few seconds at most, if the keychain is slow and another program holds the file. */
const recordLockTimes = { longestWaitMs: 10_000, staleMs: 5_000 }

/** Converts the commerce client's error, which explains what is wrong with an address or token without showing it. */
function usable<Value>(make: () => Value): Value {
  try {
    return make()
  } catch (error) {
    if (!isCommerceError(error)) throw error
    throw new LicensingOptionsError(`service cannot be used: ${error.message.replace(/\.$/u, '')}`)
  }
}
