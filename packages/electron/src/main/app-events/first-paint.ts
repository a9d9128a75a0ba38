import { app, BrowserWindow, type WebContents, webContents } from 'electron'

/** Tells when the app has painted its first window. */
export interface FirstPaint {
  /**
   * Resolves when the first window has been painted. Also resolves after two seconds if there is no window, and after
   * ten seconds if a window is never painted. Later calls wait for the same moment.
   */
  whenPainted(): Promise<void>
  /** Stops watching. Pending promises stay pending. */
  stop(): void
}

/** How long to wait for a window, in milliseconds, since a tray app may have none. */
const longestWithoutWindowMs = 2_000
const longestWithWindowMs = 10_000
/** Extra time for what a page does right after its first paint, in milliseconds. */
const restMs = 150

/**
 * Starts watching for the app's first paint.
 *
 * If Chromium's network starts at the same time as the first renderer, the app starts a tenth of a second later or
 * more.
 *
 * @param after calls back once after that many milliseconds, and returns a function that cancels it.
 */
export function watchFirstPaint(after: (delayMs: number, callback: () => void) => () => void): FirstPaint {
  const cancels: (() => void)[] = []
  let isPainted = false
  let resolvePainted = (): void => {}
  const painted = new Promise<void>((resolve) => {
    resolvePainted = resolve
  })
  let waiting: Promise<void> | null = null

  function onPaint(): void {
    if (isPainted) return
    isPainted = true
    stop()
    resolvePainted()
  }

  const onWindow = (_event: unknown, window: BrowserWindow): void => watchWindow(window)
  const onContents = (_event: unknown, contents: WebContents): void => watchContents(contents)

  /** A window created hidden reports when it is painted. A window shown earlier has loaded its page by then. */
  function watchWindow(window: BrowserWindow): void {
    window.once('ready-to-show', onPaint)
    window.on('show', () => {
      if (!window.webContents.isLoading() && window.webContents.getURL() !== '') onPaint()
    })
  }

  /**
   * A window visible from the start never reports its paint, and a view isn't a window, so use the load event instead.
   */
  function watchContents(contents: WebContents): void {
    contents.once('did-finish-load', () => {
      if (contents.isDestroyed()) return
      const window = BrowserWindow.fromWebContents(contents)
      if (window === null || window.isVisible()) onPaint()
    })
  }

  function stop(): void {
    app.off('browser-window-created', onWindow)
    app.off('web-contents-created', onContents)
    for (const cancel of cancels.splice(0)) cancel()
  }

  async function wait(): Promise<void> {
    const hasWindow = (): boolean => webContents.getAllWebContents().length > 0
    if (!isPainted) {
      cancels.push(
        after(longestWithoutWindowMs, () => {
          if (!hasWindow()) onPaint()
        }),
        after(longestWithWindowMs, onPaint),
      )
    }
    await painted
    await new Promise<void>((resolve) => after(restMs, resolve))
  }

  app.on('browser-window-created', onWindow)
  app.on('web-contents-created', onContents)
  for (const window of BrowserWindow.getAllWindows()) watchWindow(window)
  for (const contents of webContents.getAllWebContents()) {
    if (contents.isLoading() || contents.getURL() === '') watchContents(contents)
    else onPaint()
  }

  return {
    whenPainted() {
      waiting ??= wait()
      return waiting
    },
    stop,
  }
}
