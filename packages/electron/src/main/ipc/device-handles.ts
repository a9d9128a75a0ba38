import { randomUUID } from 'node:crypto'
import type { Device } from '../../shared/results.ts'

/** Stands in for the ids of keys wherever a window is told of devices: with an id one could free its seat elsewhere. */
export interface DeviceHandles {
  /** The devices as a window may know them. The same device keeps its handle for as long as the app runs. */
  conceal(devices: readonly Device[]): readonly Device[]
  /** The id of the key behind a handle; `null` when it was never handed out. */
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
