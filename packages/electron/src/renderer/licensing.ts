import {
  bridgeName,
  type LicensingBridge,
  type LicensingVerbs,
  licensingVerbs,
} from '../shared/licensing-bridge.ts'
import { createLicensingClient, LicensingBridgeError, type LicensingClient } from './licensing-client.ts'

let client: LicensingClient | null = null

// The bridge is looked up at first use, so that importing this module never throws, for example in a test.
const connect = (): LicensingClient => {
  client ??= createLicensingClient(findBridge())
  return client
}

// The client has no `getState`, because it keeps the state. Without a bridge, each of the others rejects.
const { getState: _, ...clientVerbs } = licensingVerbs
const verbs = Object.fromEntries(
  Object.keys(clientVerbs).map((verb) => [
    verb,
    async (...message: unknown[]) => Reflect.apply(Reflect.get(connect(), verb), undefined, message),
  ]),
) as unknown as Omit<LicensingVerbs, 'getState'>

/** Licensing in this window, as the activation element uses it, which reports failures itself. */
export const licensing: LicensingClient = {
  ...verbs,
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
