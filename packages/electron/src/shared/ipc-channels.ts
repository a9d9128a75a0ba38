/**
 * Names of the IPC channels, one per verb. The preload calls the `invoke` ones; the main process pushes `state`.
 * Changing a message's shape means raising {@link contractVersion}.
 */
export const ipcChannels = {
  getState: 'latchkey:get-state',
  activate: 'latchkey:activate',
  reactivate: 'latchkey:reactivate',
  validate: 'latchkey:validate',
  deactivate: 'latchkey:deactivate',
  devices: 'latchkey:devices',
  releaseDevice: 'latchkey:release-device',
  openActivationWindow: 'latchkey:open-activation-window',
  closeActivationWindow: 'latchkey:close-activation-window',
  screen: 'latchkey:screen',
  openLink: 'latchkey:open-link',
  clipboardKey: 'latchkey:clipboard-key',
  activateFromClipboard: 'latchkey:activate-from-clipboard',
  copyDiagnosis: 'latchkey:copy-diagnosis',
  state: 'latchkey:state',
  /** Sent by the activation window's preload alone: how high its page is. */
  pageHeight: 'latchkey:page-height',
} as const

/** Version of the contract between preload, renderer and main process. */
export const contractVersion = 2

/** Name under which the preload exposes the bridge on `window`. */
export const bridgeName = 'latchkey'
