/** The part of a window that is used here. */
export interface AppWindow {
  isVisible(): boolean
  once(event: 'show' | 'closed', listener: () => void): unknown
}

/** How long to wait for a hidden window, in milliseconds, since it may stay hidden on purpose. */
const longestMs = 3_000

/**
 * Waits until one of these windows is visible. Most apps create theirs hidden and show it when its page is painted.
 * Resolves at once if one is already visible or there is none.
 */
export async function whenAppShows(
  windows: readonly AppWindow[],
  after: (delayMs: number, callback: () => void) => () => void,
): Promise<void> {
  if (windows.length === 0 || windows.some((window) => window.isVisible())) return
  await new Promise<void>((resolve) => {
    const cancel = after(longestMs, resolve)
    const stop = (): void => {
      cancel()
      resolve()
    }
    for (const window of windows) {
      window.once('show', stop)
      window.once('closed', stop)
    }
  })
}
