import { app, BrowserWindow, type WebContents, webContents } from 'electron'

/** Whether the app has begun to show itself. */
export interface FirstPaint {
  /**
   * Resolves when the first window has been painted, or when none is to be expected: two seconds from now without any
   * window, ten with one that is never painted. The second call waits like the first.
   */
  whenPainted(): Promise<void>
  /** Stops watching; what waits goes on waiting. */
  stop(): void
}

/** An app without windows, such as a tray app, is not waited for. */
const longestWithoutWindowMs = 2_000
const longestWithWindowMs = 10_000
/** What a page does after its first picture goes first as well. */
const restMs = 150

/**
 * Watches for the app's first picture, from now on.
 *
 * Chromium's network starting beside the first renderer costs the app a tenth of a second and more of its start.
 *
 * @param after calls back once, that many milliseconds later, and returns what cancels it.
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

  /** A window that is made hidden says when it is painted; one that is shown before has loaded its page by then. */
  function watchWindow(window: BrowserWindow): void {
    window.once('ready-to-show', onPaint)
    window.on('show', () => {
      if (!window.webContents.isLoading() && window.webContents.getURL() !== '') onPaint()
    })
  }

  /** What is visible from the start never says that it is painted, and a view is no window: loading has to do. */
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
