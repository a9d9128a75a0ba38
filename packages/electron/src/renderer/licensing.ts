import { type LicensingVerbs, licensingVerbs } from '../shared/ipc-channels.ts'
import { findBridge } from './find-bridge.ts'
import { createLicensingClient, type LicensingClient } from './licensing-client.ts'

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
