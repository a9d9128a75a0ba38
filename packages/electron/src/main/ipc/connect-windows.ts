import { app, clipboard, ipcMain, shell, webContents } from 'electron'
import type { ClockPort, Logger } from '../../core/ports.ts'
import { onDemand, whenLoaded } from '../../shared/on-demand.ts'
import type { Licensing } from '../licensing.ts'
import type { IpcHandlerPorts } from './ipc-handlers.ts'
import { pushState } from './push-state.ts'
import { serveIpc } from './serve-ipc.ts'
import type { SenderFacts } from './trusted-sender.ts'

/** Dependencies of the connection to the windows. */
export interface WindowConnectionOptions
  extends Pick<IpcHandlerPorts, 'optionsOf' | 'describeScreen' | 'findLicenseKey'> {
  readonly subscribe: Licensing['subscribe']
  readonly isActivationWindow: (windowId: number) => boolean
  readonly isTrusted: (sender: SenderFacts) => boolean
  readonly clock: ClockPort
  readonly logger: Logger
}

/**
 * Serves the messages of all trusted windows, and sends them each new state. Most handlers are loaded for the
 * first message that needs one.
 *
 * @param licensing returns the licensing. Only called for a message.
 * @returns a function that ends both.
 * @throws Error if another `createLicensing()` serves them already.
 */
export function connectWindows(licensing: () => Licensing, options: WindowConnectionOptions): () => void {
  const { subscribe, isActivationWindow, isTrusted, clock, logger, ...screen } = options
  const loadHandlers = onDemand(async () => {
    const { createIpcHandlers } = await import('./ipc-handlers.ts')
    const openExternal = (url: string): Promise<void> => shell.openExternal(url)
    return createIpcHandlers(licensing(), { ...screen, openExternal, clipboard, logger })
  })
  const refusalLog = onDemand(async () => {
    const { createRefusalLog } = await import('./refusal-log.ts')
    return createRefusalLog(logger, clock, () => app.getAppPath())
  })
  const stopServing = onceOnly(() =>
    serveIpc({
      ipcMain,
      getState: () => licensing().start(),
      loadHandlers,
      isActivationWindow,
      isTrusted,
      onRefused: (...refusal) => whenLoaded(refusalLog, (log) => log(...refusal)),
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
