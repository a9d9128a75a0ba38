import { randomUUID } from 'node:crypto'
import type { Device } from '../../shared/results.ts'

/** Opaque handles that replace the ids of keys in windows, because an id could be used to free the seat elsewhere. */
export interface DeviceHandles {
  /** Returns the devices with handles. A device keeps its handle for as long as the app runs. */
  conceal(devices: readonly Device[]): readonly Device[]
  /** Returns the id of the key behind a handle; `null` if the handle is unknown. */
  reveal(handle: string): string | null
}

export function createDeviceHandles(): DeviceHandles {
  const handles = new Map<string, string>()
  const keyIds = new Map<string, string>()

  function handleOf(keyId: string): string {
    const known = handles.get(keyId)
    if (known !== undefined) return known
    const handle = randomUUID()
    handles.set(keyId, handle)
    keyIds.set(handle, keyId)
    return handle
  }

  return {
    conceal: (devices) => devices.map((device) => ({ ...device, id: handleOf(device.id) })),
    reveal: (handle) => keyIds.get(handle) ?? null,
  }
}
