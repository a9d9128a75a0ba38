import { bridgeName, licensingVerbs } from '../shared/ipc-channels.ts'
import type { LicensingBridge } from '../shared/licensing-bridge.ts'
import { LicensingBridgeError } from './licensing-bridge-error.ts'

/**
 * Returns the bridge that the preload script exposed as `window.latchkey`.
 * @throws {LicensingBridgeError} if there is none, or if it lacks a function.
 */
export function findBridge(): LicensingBridge {
  const found: unknown = Reflect.get(globalThis, bridgeName)
  if (typeof found !== 'object' || found === null) throw new LicensingBridgeError('bridge-missing')
  if (!isBridge(found)) throw new LicensingBridgeError('bridge-version')
  return found
}

function isBridge(found: object): found is LicensingBridge {
  return ['onState', ...Object.keys(licensingVerbs)].every(
    (name) => typeof Reflect.get(found, name) === 'function',
  )
}
