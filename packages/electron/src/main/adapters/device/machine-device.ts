import { createHmac, randomUUID } from 'node:crypto'
import type { DeviceIdentity, DevicePort } from '../../../core/ports.ts'
import { deviceLabel } from './device-label.ts'
import { acceptReportedId, readLinuxMachineId } from './machine-id.ts'

/** What identifies this computer. */
export interface MachineDeviceOptions {
  readonly appId: string
  /** Replaces the machine ID, for fleets whose machines share one. */
  readonly id?: string | undefined
  /** Replaces the host name. */
  readonly label?: string | undefined
  readonly hostname: string
  readonly platform: NodeJS.Platform
  /** Paths of the machine ID on Linux. */
  readonly machineIdFiles: readonly string[]
  /** Asks the system for the machine ID on other platforms. May start a child process. */
  readonly reportMachineId: () => Promise<string>
}

/** Identifies this computer by its machine ID, which is read at most once per launch. */
export function createMachineDevice(options: MachineDeviceOptions): DevicePort {
  const { appId, hostname, platform, id: override } = options
  let machineId: Promise<string | null> | null = null

  const fingerprintOf = (id: string): string =>
    createHmac('sha256', appId).update(id).digest('hex').slice(0, 16)

  async function findMachineId(): Promise<string | null> {
    if (platform === 'linux') return readLinuxMachineId(options.machineIdFiles)
    // Starting a process blocks the main thread, so let the launch decision finish first.
    await new Promise<void>((resolve) => setImmediate(resolve))
    try {
      return acceptReportedId(await options.reportMachineId(), hostname)
    } catch {
      // Managed Windows may forbid the command. Then the random ID is used.
      return null
    }
  }

  return {
    async identify(knownRandomId): Promise<DeviceIdentity> {
      const label = deviceLabel(hostname, options.label)
      if (override !== undefined) {
        return { fingerprint: fingerprintOf(override), label, source: 'override', randomId: null }
      }
      machineId ??= findMachineId()
      const found = await machineId
      if (found !== null) {
        return { fingerprint: fingerprintOf(found), label, source: 'machine-id', randomId: null }
      }
      const randomId = knownRandomId ?? randomUUID()
      return { fingerprint: fingerprintOf(randomId), label, source: 'random', randomId }
    },
  }
}
