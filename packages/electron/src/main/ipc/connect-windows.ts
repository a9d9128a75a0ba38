import { app, clipboard, ipcMain, shell, webContents } from 'electron'
import type { Logger } from '../../core/ports.ts'
import { eventChannels } from '../../shared/licensing-bridge.ts'
import type { LicensingState } from '../../shared/licensing-state.ts'
import type { Licensing } from '../licensing.ts'
import { createIpcHandlers, type IpcHandlerPorts } from './ipc-handlers.ts'
import { createRefusalLog } from './refusal-log.ts'
import { type IpcHandlers, serveIpc } from './serve-ipc.ts'
import type { SenderFacts } from './trusted-sender.ts'

/** Dependencies of the connection to the windows. */
export interface WindowConnectionOptions
  extends Pick<
    IpcHandlerPorts,
    'getState' | 'optionsOf' | 'describeScreen' | 'findLicenseKey' | 'returnLink'
  > {
  readonly subscribe: Licensing['subscribe']
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (sender: SenderFacts) => boolean
  readonly logger: Logger
}

/**
 * Serves the messages of all trusted windows, and sends them each new state.
 *
 * @param licensing returns the licensing. Only called for a message.
 * @returns a function that ends both.
 * @throws Error if another `createLicensing()` serves them already.
 */
export function connectWindows(licensing: () => Licensing, options: WindowConnectionOptions): () => void {
  const { subscribe, isActivationWindow, isTrusted, logger, ...handling } = options
  let handlers: IpcHandlers | null = null
  const refusalLog = createRefusalLog(logger, () => app.getAppPath())
  const stopServing = onceOnly(() =>
    serveIpc({
      ipcMain,
      handlers() {
        const openExternal = (url: string): Promise<void> => shell.openExternal(url)
        // Reading `clipboard` makes Electron load it, so this waits for the first message.
        handlers ??= createIpcHandlers(licensing(), { ...handling, openExternal, clipboard, logger })
        return handlers
      },
      isActivationWindow,
      isTrusted,
      onRefused: refusalLog,
      onFailed: (channel, error) => logger.error(`${channel} failed: ${String(error)}`),
    }),
  )
  const stopPushing = subscribe((state) => {
    pushState(state, { receivers: () => webContents.getAllWebContents(), isActivationWindow, isTrusted })
  })
  return () => {
    stopServing()
    stopPushing()
  }
}

/** Replaces Electron's unhelpful error for a second handler on the same channel. */
function onceOnly<Value>(register: () => Value): Value {
  try {
    return register()
  } catch (cause) {
    throw new Error(
      'createLicensing() was called twice: use the result of the first call, or call its dispose() first.',
      { cause },
    )
  }
}

/** The part of a `WebContents` that is used here. Its getters may throw while its window closes. */
export interface StateReceiver {
  readonly id: number
  readonly mainFrame: { readonly url: string; send(channel: string, ...message: unknown[]): void }
  getType(): string
  isDestroyed(): boolean
}

/** Options for sending the state. */
export interface PushOptions {
  /** Returns all existing pages, in all windows. */
  readonly receivers: () => readonly StateReceiver[]
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (receiver: SenderFacts) => boolean
}

/** Sends a state to all trusted pages, and to no others. */
export function pushState(state: LicensingState, options: PushOptions): void {
  for (const receiver of options.receivers()) {
    try {
      if (receiver.isDestroyed()) continue
      const { mainFrame } = receiver
      const isTrusted = options.isTrusted({
        url: mainFrame.url,
        isMainFrame: true,
        isWebview: receiver.getType() === 'webview',
        isActivationWindow: options.isActivationWindow(receiver.id),
      })
      // Send to the frame whose address was checked, because the window may navigate.
      if (isTrusted) mainFrame.send(eventChannels.state, state)
    } catch {
      // The window is closing and doesn't need the state.
    }
  }
}
