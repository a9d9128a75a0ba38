import type { DeviceIdentity } from '../ports/device-port.ts'
import type { ActivationRecord } from './vault.ts'

/**
 * Chooses the identity to use. The recorded one stays if the machine ID can't be read now, or if it can be read now but
 * couldn't when the device was first identified, so that a device keeps one identity.
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
