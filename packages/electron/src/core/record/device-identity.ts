import type { DeviceIdentity } from '../ports/device-port.ts'
import type { ActivationRecord } from './vault.ts'

/**
 * Which identity this device goes by. The one on record stays when the machine ID cannot be read today, and when
 * it can be read today but could not when the device was first named: a device has one name.
 */
export function settleIdentity(known: DeviceIdentity | null, found: DeviceIdentity): DeviceIdentity {
  if (known === null) return found
  return found.source === 'random' || (known.source === 'random' && found.source === 'machine-id')
    ? { ...known, label: found.label }
    : found
}

/** Whether the record was made on another machine: a copied folder, a restored backup, a cloned disk. */
export function isFromAnotherDevice(
  known: DeviceIdentity | null,
  activation: ActivationRecord | null,
  found: DeviceIdentity,
): boolean {
  if (found.source === 'random') return false
  if (known !== null) return known.source === found.source && known.fingerprint !== found.fingerprint
  return activation !== null && found.source === 'machine-id' && activation.fingerprint !== found.fingerprint
}
