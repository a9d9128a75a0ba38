import { bridgeName, contractVersion } from '../shared/ipc-channels.ts'
import type { LicensingBridge } from '../shared/licensing-bridge.ts'
import { LicensingBridgeError } from './licensing-bridge-error.ts'

// A record, not a list: a verb added to the bridge and forgotten here does not compile.
const verbs: Record<Exclude<keyof LicensingBridge, 'contractVersion'>, true> = {
  getState: true,
  activate: true,
  validate: true,
  deactivate: true,
  devices: true,
  releaseDevice: true,
  openActivationWindow: true,
  closeActivationWindow: true,
  screen: true,
  openLink: true,
  clipboardKey: true,
  activateFromClipboard: true,
  copyDiagnosis: true,
  onState: true,
}

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

function isBridge(found: object): found is LicensingBridge {
  return (
    Reflect.get(found, 'contractVersion') === contractVersion &&
    Object.keys(verbs).every((verb) => typeof Reflect.get(found, verb) === 'function')
  )
}
