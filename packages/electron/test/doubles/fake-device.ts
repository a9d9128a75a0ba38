import { createHmac, randomUUID } from 'node:crypto'
import type { DeviceIdSource, DevicePort } from '../../src/core/ports.ts'

/** A computer made up by the test. */
export interface FakeDevice extends DevicePort {
  /** `null` plays a computer whose machine ID cannot be read: the identity is random then. */
  machineId: string | null
  label: string
  /** How often `identify` was called. */
  readonly identifications: number
}

/** What a fake computer is like. */
export interface FakeDeviceOptions {
  readonly appId?: string
  readonly machineId?: string | null
  readonly label?: string
  readonly source?: Exclude<DeviceIdSource, 'random'>
}

/** Makes a computer. The same `machineId` and `appId` give the same fingerprint. */
export function createFakeDevice(options: FakeDeviceOptions = {}): FakeDevice {
  const appId = options.appId ?? 'com.example.notes'
  let identifications = 0
  const fingerprintOf = (id: string): string =>
    createHmac('sha256', appId).update(id).digest('hex').slice(0, 16)

  return {
    machineId: options.machineId === undefined ? 'machine-one' : options.machineId,
    label: options.label ?? 'Work laptop',
    get identifications() {
      return identifications
    },
    async identify(knownRandomId) {
      identifications += 1
      const { label, machineId } = this
      if (machineId !== null) {
        const source = options.source ?? 'machine-id'
        return { fingerprint: fingerprintOf(machineId), label, source, randomId: null }
      }
      const randomId = knownRandomId ?? randomUUID()
      return { fingerprint: fingerprintOf(randomId), label, source: 'random', randomId }
    },
  }
}
