import { findBridge } from './find-bridge.ts'
import { createLicensingClient, type LicensingClient } from './licensing-client.ts'

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
  activate: async (licenseKeyText) => connect().activate(licenseKeyText),
  reactivate: async () => connect().reactivate(),
  validate: async () => connect().validate(),
  createOfflineRequest: async (licenseKeyText) => connect().createOfflineRequest(licenseKeyText),
  activateOffline: async (text) => connect().activateOffline(text),
  deactivate: async () => connect().deactivate(),
  devices: async () => connect().devices(),
  releaseDevice: async (deviceId) => connect().releaseDevice(deviceId),
  openActivationWindow: async () => connect().openActivationWindow(),
  closeActivationWindow: async () => connect().closeActivationWindow(),
  screen: async () => connect().screen(),
  openLink: async (link) => connect().openLink(link),
  clipboardKey: async () => connect().clipboardKey(),
  activateFromClipboard: async (maskedKey) => connect().activateFromClipboard(maskedKey),
  copyDiagnosis: async () => connect().copyDiagnosis(),
}
