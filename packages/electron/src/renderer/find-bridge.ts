import { bridgeName, contractVersion } from '../shared/ipc-channels.ts'
import type { LicensingBridge } from '../shared/licensing-bridge.ts'
import { LicensingBridgeError } from './licensing-bridge-error.ts'

/**
 * The bridge the preload exposed on `window.latchkey`.
 * @throws {LicensingBridgeError} when there is none, or one of another contract version.
 */
export function findBridge(): LicensingBridge {
  const found: unknown = Reflect.get(globalThis, bridgeName)
  if (typeof found !== 'object' || found === null) throw new LicensingBridgeError('bridge-missing')
  if (!isBridge(found)) throw new LicensingBridgeError('bridge-version')
  return found
}

// The version stands for every verb and its shape: that is what it is raised for.
function isBridge(found: object): found is LicensingBridge {
  return Reflect.get(found, 'contractVersion') === contractVersion
}
