import { maskLicenseKey } from '../../shared/license-key-text.ts'
import type { Problem } from '../../shared/problem.ts'
import type { DevicesResult, ReleaseResult } from '../../shared/results.ts'
import type { LicensingSession } from '../licensing-session.ts'
import type { Logger } from '../ports/logger-port.ts'
import type { ProblemCause } from '../problem.ts'
import { isSameId } from '../record/same-id.ts'
import { onlineOperations } from './online-on-demand.ts'
import type { OperationGuards } from './operation-guards.ts'
import { createOperationQueue } from './operation-queue.ts'

/** Dependencies of the device list. */
export interface DeviceOperationsOptions {
  readonly session: LicensingSession
  readonly logger: Logger
  readonly guards: OperationGuards
  readonly problemOf: (cause: ProblemCause) => Problem
  /** Runs an operation that frees a seat in its queue, and shows it as the activity. */
  readonly runRelease: (keyId: string, operation: () => Promise<ReleaseResult>) => Promise<ReleaseResult>
  readonly deactivateDevice: () => Promise<unknown>
}

/** Listing and releasing the devices of a license. */
export interface DeviceOperations {
  readonly devices: () => Promise<DevicesResult>
  readonly releaseDevice: (keyId: string) => Promise<ReleaseResult>
  /** Sets the license that was rejected because it had no free seat: its devices are listed. `null` for none. */
  readonly setFullLicense: (licenseId: string | null) => void
  /** Returns the license that was rejected, once one of its devices was released; `null` if none was. */
  readonly releasedFor: () => string | null
}

const noId = 'releaseDevice() needs the id of a device, as a text.'
const unlistedId =
  'releaseDevice() got an id that the license does not have, and that devices() has not returned since the app started. It counts as released. Pass the id of one of its devices.'

/** Creates the operations of the device list, with the license that each listed device belongs to. */
export function createDeviceOperations(options: DeviceOperationsOptions): DeviceOperations {
  const { session, logger, guards, problemOf, runRelease, deactivateDevice } = options
  const lists = createOperationQueue()
  let fullLicenseId: string | null = null
  let hasReleased = false
  // The license of each listed device: the current license may have changed by the time the device is released.
  const licenseOfKey = new Map<string, string>()

  function currentLicenseId(): string | null {
    const { activation, pending } = session.vault()
    return fullLicenseId ?? activation?.licenseId ?? pending?.licenseId ?? null
  }

  function devices(): Promise<DevicesResult> {
    const refuse = (cause: ProblemCause): DevicesResult => ({ ok: false, problem: problemOf(cause) })
    return lists.run(
      // The key includes the license, so that a running list of another license isn't shared with this call.
      { kind: 'devices', subject: currentLicenseId() },
      guards.safely(async () => {
        const licenseId = currentLicenseId()
        if (licenseId === null) return refuse({ code: 'not-activated' })
        const { listDevices } = await onlineOperations()
        const listed = await listDevices(session, licenseId)
        if (listed.ok) for (const { id } of listed.devices) licenseOfKey.set(id, licenseId)
        return listed.ok ? listed : refuse(listed.cause)
      }, refuse),
    )
  }

  /** Whether a list of the license's devices lacks an id that can't even be sent to the service. */
  async function isUnlisted(licenseId: string, keyId: string): Promise<boolean> {
    const { listDevices } = await onlineOperations()
    const listed = await listDevices(session, licenseId)
    return listed.ok && !listed.devices.some(({ id }) => isSameId(id, keyId))
  }

  async function releaseDevice(keyId: string): Promise<ReleaseResult> {
    const refuse = (cause: ProblemCause): ReleaseResult => ({ ok: false, problem: problemOf(cause) })
    if (typeof keyId !== 'string' || keyId === '') {
      logger.warn(noId)
      return refuse({ code: 'device-not-found' })
    }
    return runRelease(
      keyId,
      guards.alone(async () => {
        const { activation } = session.vault()
        if (activation !== null && isSameId(activation.keyId, keyId)) {
          await deactivateDevice()
          return { ok: true }
        }
        const licenseId = licenseOfKey.get(keyId) ?? currentLicenseId()
        if (licenseId === null) return refuse({ code: 'not-activated' })
        const { releaseKey } = await onlineOperations()
        const { cause, isFreedNow } = await releaseKey(session, licenseId, keyId)
        if (cause !== null && !(cause.code === 'unexpected' && (await isUnlisted(licenseId, keyId))))
          return refuse(cause)
        // A device that is already gone counts as released, so nothing else would reveal a wrong id.
        if (!isFreedNow && !licenseOfKey.has(keyId)) logger.warn(unlistedId)
        if (isFreedNow) licenseOfKey.set(keyId, licenseId)
        logger.info(`Released a device of license ${maskLicenseKey(licenseId)}`)
        hasReleased ||= licenseId === fullLicenseId
        if (isFreedNow) await session.record({ type: 'device-released', licenseId })
        return { ok: true }
      }, refuse),
    )
  }

  return {
    devices,
    releaseDevice,
    setFullLicense(licenseId) {
      fullLicenseId = licenseId
      hasReleased = false
    },
    releasedFor: () => (hasReleased ? fullLicenseId : null),
  }
}
