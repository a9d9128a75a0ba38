import { bridgeName, type LicensingBridge, licensingVerbs } from '../shared/licensing-bridge.ts'
import {
  createLicensingClient,
  createVerbs,
  LicensingBridgeError,
  type LicensingClient,
} from './licensing-client.ts'

let client: LicensingClient | null = null

// The bridge is looked up at first use, so that importing this module never throws, for example in a test.
const connect = (): LicensingClient => {
  client ??= createLicensingClient(findBridge())
  return client
}

/**
 * Licensing in this window, over the bridge that its preload script exposed.
 *
 * Without a bridge of this version, the methods and `ready` reject, and `getSnapshot`, `has` and `subscribe` throw. The
 * error is a {@link LicensingBridgeError} that names the missing step.
 *
 * @example
 * const state = await licensing.ready
 * if (!state.entitled) await licensing.openActivationWindow()
 */
export const licensing: LicensingClient = {
  ...createVerbs(async (verb, message) => Reflect.apply(Reflect.get(connect(), verb), undefined, message)),
  getSnapshot: () => connect().getSnapshot(),
  has: (feature) => connect().has(feature),
  subscribe: (listener) => connect().subscribe(listener),
  get ready() {
    try {
      return connect().ready
    } catch (error) {
      return Promise.reject(error)
    }
  },
}

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
