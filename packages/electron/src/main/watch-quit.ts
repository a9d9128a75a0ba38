import { app, autoUpdater, BrowserWindow } from 'electron'

/** Whether the app is about to quit. */
export interface QuitWatch {
  readonly isQuitting: () => boolean
  /** Resolves at once, or, in an app that is about to quit, when that was called off. */
  readonly whenStaying: () => Promise<void>
  readonly stop: () => void
}

interface Preventable {
  readonly defaultPrevented: boolean
}

/**
 * Notices that the app begins to quit, and that it stays after all: a listener prevents `before-quit`, a window refuses
 * to close, or its page asks not to be left.
 */
export function watchQuit(): QuitWatch {
  let isQuitting = false
  let stopWatchingWindows = (): void => {}
  const waiting: (() => void)[] = []

  function stay(): void {
    isQuitting = false
    stopWatchingWindows()
    for (const resolve of waiting.splice(0)) resolve()
  }

  function begin(): void {
    isQuitting = true
    stopWatchingWindows()
    stopWatchingWindows = watchWindows(stay)
  }

  const onBeforeQuit = (event: Preventable): void => {
    begin()
    onceHeard(() => event.defaultPrevented && stay())
  }
  const onQuit = (): void => {
    isQuitting = true
  }
  app.on('before-quit', onBeforeQuit)
  // `app.exit()` says nothing else.
  app.on('quit', onQuit)
  // An update closes the windows first, and says `before-quit` after that.
  autoUpdater.on('before-quit-for-update', begin)

  return {
    isQuitting: () => isQuitting,
    whenStaying: async () => {
      if (isQuitting) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    stop() {
      stay()
      app.off('before-quit', onBeforeQuit)
      app.off('quit', onQuit)
      autoUpdater.off('before-quit-for-update', begin)
    },
  }
}

/** Calls back when one of the windows there are does not close. @returns stops that */
function watchWindows(onStays: () => void): () => void {
  const stops = BrowserWindow.getAllWindows().map((window) => {
    const { webContents } = window
    const onClose = (event: Preventable): void => onceHeard(() => event.defaultPrevented && onStays())
    // Here it is the other way round: preventing lets the window go in spite of its page.
    const onUnload = (event: Preventable): void => onceHeard(() => event.defaultPrevented || onStays())
    window.on('close', onClose)
    webContents.on('will-prevent-unload', onUnload)
    return () => {
      window.off('close', onClose)
      webContents.off('will-prevent-unload', onUnload)
    }
  })
  return () => {
    for (const stop of stops.splice(0)) stop()
  }
}

/** Whoever has the last word on an event may be listening behind us. */
function onceHeard(look: () => unknown): void {
  queueMicrotask(look)
}
