import type { LicensingBridge } from './licensing-bridge.ts'

/** The functions of the bridge that a window may call. */
export type LicensingVerbs = Omit<LicensingBridge, 'contractVersion' | 'onState'>

/** The name of a function that a window may call. */
export type LicensingVerb = keyof LicensingVerbs

/**
 * One row per verb: its IPC channel and the number of its arguments. The preload script, the renderer and the main
 * process all derive from it. The schema of the arguments is in the main process, next to the handler.
 */
export const licensingVerbs: {
  readonly [Verb in LicensingVerb]: {
    readonly channel: `latchkey:${string}`
    readonly argumentCount: Parameters<LicensingVerbs[Verb]>['length']
  }
} = {
  getState: { channel: 'latchkey:get-state', argumentCount: 0 },
  activate: { channel: 'latchkey:activate', argumentCount: 1 },
  reactivate: { channel: 'latchkey:reactivate', argumentCount: 0 },
  validate: { channel: 'latchkey:validate', argumentCount: 0 },
  createOfflineRequest: { channel: 'latchkey:create-offline-request', argumentCount: 1 },
  activateOffline: { channel: 'latchkey:activate-offline', argumentCount: 1 },
  cancelActivation: { channel: 'latchkey:cancel-activation', argumentCount: 0 },
  deactivate: { channel: 'latchkey:deactivate', argumentCount: 0 },
  devices: { channel: 'latchkey:devices', argumentCount: 0 },
  releaseDevice: { channel: 'latchkey:release-device', argumentCount: 1 },
  openActivationWindow: { channel: 'latchkey:open-activation-window', argumentCount: 0 },
  closeActivationWindow: { channel: 'latchkey:close-activation-window', argumentCount: 0 },
  screen: { channel: 'latchkey:screen', argumentCount: 0 },
  openLink: { channel: 'latchkey:open-link', argumentCount: 1 },
  clipboardKey: { channel: 'latchkey:clipboard-key', argumentCount: 0 },
  activateFromClipboard: { channel: 'latchkey:activate-from-clipboard', argumentCount: 1 },
  copyDiagnosis: { channel: 'latchkey:copy-diagnosis', argumentCount: 0 },
}

/** Channels that carry events instead of calls. */
export const eventChannels = {
  /** From the main process to every trusted window: the new state. */
  state: 'latchkey:state',
  /** From the activation window's preload script to the main process: the height of its page, in pixels. */
  pageHeight: 'latchkey:page-height',
} as const

/** Version of the contract between preload, renderer and main process. Raise it when the shape of a message changes. */
export const contractVersion = 3

/** Name under which the preload exposes the bridge on `window`. */
export const bridgeName = 'latchkey'
