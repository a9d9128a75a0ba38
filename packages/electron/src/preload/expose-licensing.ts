import { contextBridge, ipcRenderer } from 'electron'
import { bridgeName, contractVersion, ipcChannels } from '../shared/ipc-channels.ts'
import { maxLicenseTextLength } from '../shared/license-key-text.ts'
import type { LicensingBridge } from '../shared/licensing-bridge.ts'
import type { LicensingState } from '../shared/licensing-state.ts'

const bridge: LicensingBridge = {
  contractVersion,
  getState: () => ipcRenderer.invoke(ipcChannels.getState),
  // One character too many is enough to be told that the text is too long.
  activate: (licenseKeyText) =>
    ipcRenderer.invoke(ipcChannels.activate, String(licenseKeyText).slice(0, maxLicenseTextLength + 1)),
  reactivate: () => ipcRenderer.invoke(ipcChannels.reactivate),
  validate: () => ipcRenderer.invoke(ipcChannels.validate),
  deactivate: () => ipcRenderer.invoke(ipcChannels.deactivate),
  devices: () => ipcRenderer.invoke(ipcChannels.devices),
  releaseDevice: (deviceId) => ipcRenderer.invoke(ipcChannels.releaseDevice, deviceId),
  openActivationWindow: () => ipcRenderer.invoke(ipcChannels.openActivationWindow),
  closeActivationWindow: () => ipcRenderer.invoke(ipcChannels.closeActivationWindow),
  screen: () => ipcRenderer.invoke(ipcChannels.screen),
  openLink: (link) => ipcRenderer.invoke(ipcChannels.openLink, link),
  clipboardKey: () => ipcRenderer.invoke(ipcChannels.clipboardKey),
  activateFromClipboard: (maskedKey) => ipcRenderer.invoke(ipcChannels.activateFromClipboard, maskedKey),
  copyDiagnosis: () => ipcRenderer.invoke(ipcChannels.copyDiagnosis),
  onState(listener) {
    const receive = (_event: unknown, state: LicensingState): void => listener(state)
    ipcRenderer.on(ipcChannels.state, receive)
    return () => {
      ipcRenderer.off(ipcChannels.state, receive)
    }
  },
}

/**
 * Puts licensing on `window.latchkey`, for `@latchkey/electron/renderer` and the activation screen. Call it once, in
 * the preload script of every window that shall know about the license.
 *
 * Needs context isolation, and nothing that a sandboxed preload does not have.
 *
 * @throws Error that says where it belongs, when this is no preload script.
 */
export function exposeLicensing(): void {
  // Electron offers each process only what belongs there; the types know nothing of it.
  const offered: unknown = contextBridge
  if (offered === undefined) {
    throw new Error(
      "exposeLicensing() belongs in a preload script. The main process calls createLicensing() from '@latchkey/electron/main'.",
    )
  }
  contextBridge.exposeInMainWorld(bridgeName, bridge)
}
