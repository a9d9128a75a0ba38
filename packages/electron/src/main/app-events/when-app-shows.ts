/** The part of a window that is looked at. */
export interface AppWindow {
  isVisible(): boolean
  once(event: 'show' | 'closed', listener: () => void): unknown
}

/** A window that stays hidden on purpose is not waited for any longer. */
const longestMs = 3_000

/**
 * Waits until one of these windows can be seen: most apps make theirs hidden and show it when its page is painted.
 * Resolves at once when one can be seen already, or there is none.
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
