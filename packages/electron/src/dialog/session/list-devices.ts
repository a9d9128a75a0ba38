import type { LicensingClient } from '../../renderer/licensing-client.ts'
import type { DeviceList } from '../scene/situation.ts'
import { unexpected } from './own-problems.ts'

/** Asks for the devices of the license. It never rejects. */
export function listDevices(client: LicensingClient): Promise<DeviceList> {
  return client.devices().then(
    (result) =>
      result.ok
        ? { phase: 'ready', devices: result.devices, problem: null }
        : { phase: 'failed', problem: result.problem },
    () => ({ phase: 'failed', problem: unexpected }),
  )
}
