import * as v from 'valibot'
import {
  channelOf,
  type LicensingVerb,
  type LicensingVerbs,
  refusedWindow,
} from '../../shared/ipc-channels.ts'
import type { Refusal } from './refusal-log.ts'
import type { SenderFacts } from './trusted-sender.ts'

/** The part of an invoke event that is used here. `senderFrame` may be null, and its getters may throw. */
export interface IpcEvent {
  readonly senderFrame: { readonly url: string; readonly parent: unknown } | null
  readonly sender: { readonly id: number; getType(): string }
}

/** The part of Electron's `ipcMain` that is used here. */
export interface IpcMainPort {
  handle(channel: string, listener: (event: IpcEvent, ...message: unknown[]) => unknown): void
  removeHandler(channel: string): void
}

type Message<Verb extends LicensingVerb> = Parameters<LicensingVerbs[Verb]>

/** One handler per verb. Its first argument is the id of the calling window. */
export type IpcHandlers = {
  readonly [Verb in LicensingVerb]: (
    windowId: number,
    ...message: Message<Verb>
  ) => ReturnType<LicensingVerbs[Verb]>
}

/** Options for serving. */
export interface IpcOptions {
  readonly ipcMain: IpcMainPort
  /** Answers what the pages of an app ask while it starts, so that nothing is loaded for it. */
  readonly getState: IpcHandlers['getState']
  /** Loads the other handlers. Called for each message that is trusted and well formed. */
  readonly loadHandlers: () => Promise<Omit<IpcHandlers, 'getState'>>
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (sender: SenderFacts) => boolean
  readonly onRefused: (channel: string, url: string | null, why: Refusal) => void
  /** Called when a handler failed. The window only gets a generic error. */
  readonly onFailed: (channel: string, error: unknown) => void
}

const nothing = v.strictTuple([])
const anyText = v.strictTuple([v.string()])
// A device handle, or a masked license key.
const shortName = v.strictTuple([v.pipe(v.string(), v.maxLength(64))])
const linkName = v.strictTuple([v.picklist(['buy', 'renew', 'coveredVersion', 'support', 'account'])])

const schemas: { readonly [Verb in LicensingVerb]: v.GenericSchema<unknown, Message<Verb>> } = {
  getState: nothing,
  activate: anyText,
  reactivate: nothing,
  validate: nothing,
  createOfflineRequest: anyText,
  activateOffline: anyText,
  cancelActivation: nothing,
  deactivate: nothing,
  devices: nothing,
  releaseDevice: shortName,
  openActivationWindow: nothing,
  closeActivationWindow: nothing,
  screen: nothing,
  openLink: linkName,
  clipboardKey: nothing,
  activateFromClipboard: shortName,
  copyDiagnosis: nothing,
}

const verbNames = Object.keys(schemas) as LicensingVerb[]

/**
 * Serves the verbs to the windows. Checks the sender first, then the arguments, and only then runs a handler.
 *
 * @returns a function that stops serving.
 */
export function serveIpc(options: IpcOptions): () => void {
  const { ipcMain, getState, loadHandlers, onRefused, onFailed } = options
  const channels: string[] = []

  function serve<Verb extends LicensingVerb>(verb: Verb, load: () => Promise<Pick<IpcHandlers, Verb>>): void {
    const channel = channelOf(verb)
    channels.push(channel)
    ipcMain.handle(channel, async (event, ...message) => {
      // Read it before the first await, because the frame no longer exists after its page navigates.
      const sender = readSender(event, options.isActivationWindow)
      const windowId = event.sender.id
      if (!options.isTrusted(sender)) {
        onRefused(channel, sender.url, 'untrusted-sender')
        throw new Error(refusedWindow)
      }
      const parsed = v.safeParse(schemas[verb], message)
      if (!parsed.success) {
        onRefused(channel, sender.url, 'malformed-message')
        throw new Error('Latchkey refused this message')
      }
      try {
        const { [verb]: handler } = await load()
        return await handler(windowId, ...parsed.output)
      } catch (error) {
        onFailed(channel, error)
        throw new Error('Latchkey could not do this')
      }
    })
  }

  for (const verb of verbNames) {
    if (verb === 'getState') serve(verb, async () => ({ getState }))
    else serve(verb, loadHandlers)
  }

  return () => {
    for (const channel of channels) ipcMain.removeHandler(channel)
  }
}

function readSender(event: IpcEvent, isActivationWindow: (windowId: number) => boolean): SenderFacts {
  try {
    const { senderFrame, sender } = event
    return {
      url: senderFrame?.url ?? null,
      isMainFrame: senderFrame !== null && senderFrame.parent === null,
      isWebview: sender.getType() === 'webview',
      isActivationWindow: isActivationWindow(sender.id),
    }
  } catch {
    // Electron throws for a frame that was destroyed in the meantime.
    return { url: null, isMainFrame: false, isWebview: false, isActivationWindow: false }
  }
}
