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

/** By then windows are closed, or have said that they stay; what keeps an app running for longer is not known. */
const longestQuitMs = 3_000

/**
 * Notices that the app begins to quit, and that it stays after all: a listener prevents `before-quit` or `will-quit`,
 * a window refuses to close, its page asks not to be left, or nothing more comes of it.
 *
 * @param after calls back once, that many milliseconds later, and returns what cancels it.
 */
export function watchQuit(after: (delayMs: number, callback: () => void) => () => void): QuitWatch {
  let isQuitting = false
  let stopWatching = (): void => {}
  const waiting: (() => void)[] = []

  function stay(): void {
    isQuitting = false
    stopWatching()
    for (const resolve of waiting.splice(0)) resolve()
  }

  function begin(): void {
    isQuitting = true
    stopWatching()
    const stops = [watchWindows(stay), after(longestQuitMs, stay)]
    stopWatching = () => {
      for (const stop of stops.splice(0)) stop()
    }
  }

  const onBeforeQuit = (event: Preventable): void => {
    begin()
    stayIfPrevented(event)
  }
  const stayIfPrevented = (event: Preventable): void => onceHeard(() => event.defaultPrevented && stay())
  const onQuit = (): void => {
    isQuitting = true
  }
  app.on('before-quit', onBeforeQuit)
  app.on('will-quit', stayIfPrevented)
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
      app.off('will-quit', stayIfPrevented)
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
