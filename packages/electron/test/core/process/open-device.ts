import { commerce } from '@latchkey/services/commerce'
import { createLicensingCore, type LicensingCore } from '../../../src/core/licensing.ts'
import { createMachineDevice } from '../../../src/main/adapters/device.ts'
import { createFileLock } from '../../../src/main/adapters/file-lock.ts'
import { createFileStore } from '../../../src/main/adapters/file-store.ts'
import { createSafeStorageSecrets } from '../../../src/main/adapters/safe-storage-secrets.ts'
import { createSystemClock } from '../../../src/main/adapters/time.ts'
import { withCall } from '../../doubles/with-call.ts'

/** The folder of a device in a process test, and how it reaches the service. */
export interface DeviceHome {
  readonly directory: string
  readonly baseUrl: string
  readonly accessToken: string
  /** Whether processes on these files wait for each other, as they do in an app. @default false */
  readonly isLocked?: boolean
}

const appId = 'com.example.notes'
const dayMs = 24 * 60 * 60 * 1000

/** The core with the app's real ports: files, network and clock. Only Electron is missing. */
export function openDevice(home: DeviceHome): LicensingCore {
  const silent = (): void => {}
  const logger = { debug: silent, info: silent, warn: silent, error: silent }
  const lockOf = (name: string) => createFileLock({ directory: () => home.directory, name, logger })
  return createLicensingCore(
    {
      service: withCall(commerce({ baseUrl: home.baseUrl, accessToken: home.accessToken }), () => ({
        timeoutMs: 60_000,
      })),
      store: createFileStore({ directory: () => home.directory, name: 'license' }),
      device: createMachineDevice({
        appId,
        id: 'one and the same machine',
        label: 'Work laptop',
        hostname: 'work',
        platform: 'linux',
        machineIdFiles: [],
        reportMachineId: () => Promise.reject(new Error('not asked')),
      }),
      clock: createSystemClock(),
      // The real sealing, on a system without a keychain.
      secrets: createSafeStorageSecrets({
        safeStorage: () => ({}),
        platform: 'linux',
        appId,
        electronVersion: '45.4.1',
      }),
      logger,
      ...(home.isLocked ? { lock: lockOf('license') } : {}),
    },
    { graceMs: 14 * dayMs, renewalGraceMs: 3 * dayMs, trialMs: 0, recheckMs: dayMs },
  )
}
