import type { LicensingBridge } from './licensing-bridge.ts'

/** The functions of the bridge that a window may call. */
export type LicensingVerbs = Omit<LicensingBridge, 'onState'>

/** The name of a function that a window may call. */
export type LicensingVerb = keyof LicensingVerbs

/**
 * Every verb with the number of its arguments. The preload script, the renderer and the main process all derive from it.
 * The schema of the arguments is in the main process, next to the handler.
 */
export const licensingVerbs: {
  readonly [Verb in LicensingVerb]: Parameters<LicensingVerbs[Verb]>['length']
} = {
  getState: 0,
  activate: 1,
  reactivate: 0,
  validate: 0,
  createOfflineRequest: 1,
  activateOffline: 1,
  cancelActivation: 0,
  deactivate: 0,
  devices: 0,
  releaseDevice: 1,
  openActivationWindow: 0,
  closeActivationWindow: 0,
  screen: 0,
  openLink: 1,
  clipboardKey: 0,
  activateFromClipboard: 1,
  copyDiagnosis: 0,
}

/** Returns the IPC channel of a verb. */
export function channelOf(verb: string): string {
  return `latchkey:${verb}`
}

/** Channels that carry events instead of calls. */
export const eventChannels = {
  /** From the main process to every trusted window: the new state. */
  state: 'latchkey:state',
  /** From the activation window's preload script to the main process: the height of its page, in pixels. */
  pageHeight: 'latchkey:page-height',
} as const

/** The main process's error for a window that it doesn't trust. The window recognizes it. */
export const refusedWindow = 'Latchkey refused this window'

/** Name under which the preload exposes the bridge on `window`. */
export const bridgeName = 'latchkey'
