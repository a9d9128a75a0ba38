import { contextBridge, ipcRenderer } from 'electron'
import { maxLicenseTextLength, maxOfflineTextLength } from '../shared/license-key-text.ts'
import {
  bridgeName,
  channelOf,
  eventChannels,
  type LicensingBridge,
  type LicensingVerbs,
  licensingVerbs,
} from '../shared/licensing-bridge.ts'
import type { LicensingState } from '../shared/licensing-state.ts'

// The main process parses the arguments. Extra ones are dropped, so that a verb can be used as an event listener.
const verbs = Object.fromEntries(
  Object.entries(licensingVerbs).map(([verb, argumentCount]) => [
    verb,
    (...message: unknown[]) => ipcRenderer.invoke(channelOf(verb), ...message.slice(0, argumentCount)),
  ]),
) as unknown as LicensingVerbs

const bridge: LicensingBridge = {
  ...verbs,
  // One extra character is enough for the main process to report that the text is too long.
  activate: (licenseKeyText) => verbs.activate(String(licenseKeyText).slice(0, maxLicenseTextLength + 1)),
  createOfflineRequest: (licenseKeyText) =>
    verbs.createOfflineRequest(String(licenseKeyText).slice(0, maxLicenseTextLength + 1)),
  activateOffline: (text) => verbs.activateOffline(String(text).slice(0, maxOfflineTextLength + 1)),
  onState(listener) {
    const receive = (_event: unknown, state: LicensingState): void => listener(state)
    ipcRenderer.on(eventChannels.state, receive)
    return () => {
      ipcRenderer.off(eventChannels.state, receive)
    }
  },
}

/**
 * Exposes licensing as `window.latchkey`, for `@latchkey/electron/renderer` and the activation window. Call it once, in
 * the preload script of every window that uses licensing.
 *
 * Requires context isolation. Works in a sandboxed preload script.
 *
 * @throws Error if this isn't a preload script, or at a second call in one window. The message says what to do.
 */
export function exposeLicensing(): void {
  // Electron offers each process only its own modules, which the types don't express.
  const offered: unknown = contextBridge
  if (offered === undefined) {
    throw new Error(
      "exposeLicensing() belongs in a preload script. The main process calls createLicensing() from '@latchkey/electron/main'.",
    )
  }
  try {
    contextBridge.exposeInMainWorld(bridgeName, bridge)
  } catch (error) {
    // Electron's message names no function.
    if (!String(error).includes('existing property')) throw error
    throw new Error(
      'window.latchkey is there already: exposeLicensing() was called twice, or the ready-made preload script also calls it. Call it once.',
    )
  }
}
